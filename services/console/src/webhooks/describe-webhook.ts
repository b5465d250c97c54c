import type { Webhook } from '@tocsin/client/browser';
import { pauseReasonWords, wordsOf } from '../shared/words.js';
import type { Tone } from '../ui/index.js';

/** Description of the state of a webhook, as the console shows it. */
export interface WebhookState {
  readonly label: 'Healthy' | 'Failing' | 'Paused' | 'Disabled' | 'Idle' | 'Cannot be decrypted';
  readonly tone: Tone;
  /** Reason for the state. Null if the label needs no explanation. */
  readonly reason: string | null;
  /** End of the pause, ISO 8601. Null if the webhook is not paused. */
  readonly until: string | null;
  readonly since: string | null;
}

/** Order of the states in the list of webhooks: states that need attention come first. */
export const stateOrder = [
  'Cannot be decrypted',
  'Failing',
  'Paused',
  'Idle',
  'Healthy',
  'Disabled',
] as const;

export function describeWebhook(webhook: Webhook): WebhookState {
  const { health, paused } = webhook;
  const nothing = { reason: null, until: null, since: health.since };
  const lastError = health.last_error?.error ?? null;
  if (webhook.undecryptable === true) {
    const reason =
      'Its stored values cannot be decrypted. An operator has to add the key to SECRETS_KEYS, or url, headers and body have to be replaced over the API.';
    return { ...nothing, label: 'Cannot be decrypted', tone: 'bad', reason };
  }
  switch (health.state) {
    case 'disabled':
      return {
        ...nothing,
        label: 'Disabled',
        tone: 'muted',
        reason: webhook.disabled_reason ?? 'Its deliveries are skipped.',
      };
    case 'paused':
      return {
        label: 'Paused',
        tone: 'wait',
        reason: pauseReason(paused?.reason, paused?.error ?? lastError),
        until: paused?.until ?? null,
        since: paused?.since ?? health.since,
      };
    case 'failing':
      return { ...nothing, label: 'Failing', tone: 'bad', reason: lastError };
    case 'healthy':
      return { ...nothing, label: 'Healthy', tone: 'good' };
    default:
      return { ...nothing, label: 'Idle', tone: 'muted', reason: 'Nothing was sent in the last 24 hours.' };
  }
}

function pauseReason(reason: PauseReason | undefined, error: string | null): string {
  const why = reason === undefined ? undefined : wordsOf(pauseReasonWords, reason);
  const words = why === undefined ? 'Its deliveries wait.' : `${why}.`;
  return error === null ? words : `${words} ${error}`;
}

type PauseReason = NonNullable<Webhook['paused']>['reason'];

/** Formats a rate of 0 to 1 as a percentage. Only the rates 1 and 0 are formatted as 100 % and 0 %. */
export function formatRate(rate: number | null): string {
  if (rate === null) return '–';
  if (rate > 0.99 && rate < 1) return `${Math.min(99.9, Math.floor(rate * 1_000) / 10)} %`;
  if (rate > 0 && rate < 0.01) return '< 1 %';
  return `${Math.round(rate * 100)} %`;
}

/**
 * Returns the scheme and the host of a URL, because the rest of the URL can contain secrets. Any other text is returned
 * unchanged.
 */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
