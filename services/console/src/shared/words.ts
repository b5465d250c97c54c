import type { Alert, Attempt, Delivery, Webhook } from '@tocsin/client/browser';
import type { Tone } from '../ui/index.js';

interface Words {
  label: string;
  tone: Tone;
}

type Status = Delivery['status'];

export const deliveryStatusWords: Readonly<Record<Status, Words>> = {
  waiting: { label: 'Waiting', tone: 'wait' },
  queued: { label: 'Queued', tone: 'busy' },
  sending: { label: 'Sending', tone: 'busy' },
  succeeded: { label: 'Succeeded', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  skipped: { label: 'Skipped', tone: 'muted' },
};

export const waitingReasonWords: Readonly<Record<NonNullable<Delivery['waiting_reason']>, string>> = {
  retry: 'It waits for its next attempt.',
  paused:
    'Its webhook is paused: the destination failed repeatedly or asked for a pause, or a person paused it.',
  backlog: 'It is due, but other deliveries are ahead of it in the queue.',
  no_slot:
    'All slots of its webhook, or the memory for large bodies, are in use, because the destination responds slowly.',
  crashed:
    'A worker crashed, froze or lost the database before the outcome was recorded. A worker sends it again.',
  undecryptable:
    'The worker has no key for the webhook’s stored values. An operator has to add it to SECRETS_KEYS.',
  render_budget: 'The workspace has used up its share of rendering time.',
  rate_limit: 'The rate limit of its webhook is reached.',
  no_signing_secret: 'Its webhook signs requests and has no signing secret.',
};

type ErrorCode = NonNullable<Attempt['error_code']>;

export const errorCodeWords: Readonly<Record<ErrorCode, string>> = {
  http_status: 'Refused by the destination',
  timeout: 'No response in time',
  connect_timeout: 'No connection in time',
  connection_refused: 'Connection refused',
  connection_reset: 'Connection reset',
  dns_failure: 'Name not found in DNS',
  tls_failure: 'TLS failure',
  blocked_address: 'The address is not allowed',
  invalid_response: 'The response was not HTTP',
  template_error: 'The template failed',
  invalid_json: 'The rendered body is not JSON',
  webhook_deleted: 'The webhook was deleted',
  webhook_disabled: 'The webhook is disabled',
  expired: 'Not delivered within 24 hours',
  crashes_worker: 'It crashed several workers',
  internal_error: 'Internal error of Tocsin',
  over_quota: 'The webhook has too many open deliveries',
  cancelled: 'Cancelled by a person',
};

export const alertOutcomeWords: Readonly<Record<Alert['outcome'], Words & { reason: string }>> = {
  dispatched: { label: 'Dispatched', tone: 'good', reason: 'The webhooks of the rule were called.' },
  rule_disabled: {
    label: 'Rule disabled',
    tone: 'muted',
    reason: 'Nothing was sent, because the alert rule was disabled when the alert fired.',
  },
  rule_deleted: {
    label: 'Rule deleted',
    tone: 'muted',
    reason: 'Nothing was sent, because the alert rule was deleted before the alert fired.',
  },
  no_webhooks: {
    label: 'No webhooks',
    tone: 'wait',
    reason: 'Nothing was sent, because no webhook was attached to the alert rule.',
  },
  over_quota: {
    label: 'Over the limit',
    tone: 'bad',
    reason: 'Nothing was sent, because the workspace had reached its limit of open deliveries.',
  },
  suppressed: {
    label: 'Suppressed',
    tone: 'muted',
    reason: 'Nothing was sent, because of a cooldown or a silence of the alert rule.',
  },
};

/**
 * Returns the entry of `table` for a code of the API. Returns undefined for an unknown code, because the API can be
 * newer than this version of the console.
 */
export function wordsOf<Code extends string, Value>(
  table: Readonly<Record<Code, Value>>,
  code: string,
): Value | undefined {
  return (table as Readonly<Record<string, Value>>)[code];
}

export const pauseReasonWords: Readonly<Record<NonNullable<Webhook['paused']>['reason'], string>> = {
  circuit: 'several deliveries in a row failed',
  retry_after: 'the destination asked for a pause',
  manual: 'a person paused it',
};
