import type { Webhook } from '@tocsin/contracts';
import type { SecretBox } from '@tocsin/database';
import { hasPermission, type Principal } from '@tocsin/identity';
import {
  decryptSecrets,
  requireSecrets,
  type StoredWebhook,
  type WebhookSecrets,
  type WebhookWithoutSecrets,
} from './stored-webhook.js';
import { presentHealth } from './webhook-health.js';
import { presentOptions } from './webhook-options.js';

interface PresentOptions {
  secretBox: SecretBox;
  principal: Principal;
}

/**
 * Returns a webhook as the caller may see it. Secrets are hidden from callers without the permission `webhook_update`.
 * @throws AppError `undecryptable`
 */
export function presentWebhook(stored: StoredWebhook, { secretBox, principal }: PresentOptions): Webhook {
  return present(stored, showSecrets(stored, requireSecrets(secretBox, stored), principal));
}

/**
 * Returns an entry of a list. A webhook that cannot be decrypted causes no error, so that the list can still show the
 * other webhooks. Its entry has no secrets and the member `undecryptable`.
 */
export function presentListedWebhook(
  stored: StoredWebhook,
  { secretBox, principal }: PresentOptions,
): Webhook {
  const secrets = decryptSecrets(secretBox, stored);
  if ('keyId' in secrets) return presentUndecryptable(stored);
  return present(stored, showSecrets(stored, secrets, principal));
}

/** Returns an entry of a list without secrets, even if the caller may see them. */
export function presentWithoutSecrets(stored: WebhookWithoutSecrets): Webhook {
  return stored.keyIsMissing ? presentUndecryptable(stored) : present(stored, hideSecrets(stored));
}

type PlainWebhook = Omit<WebhookWithoutSecrets, 'keyIsMissing'>;

function presentUndecryptable(stored: PlainWebhook): Webhook {
  const secrets = replaceSecrets(stored, { values: [], body: '' });
  return { ...present(stored, secrets), undecryptable: true };
}

function present(stored: PlainWebhook, secrets: WebhookSecrets): Webhook {
  return {
    id: stored.id,
    workspace_id: stored.workspaceId,
    name: stored.name,
    external_id: stored.externalId,
    ...secrets,
    enabled: stored.enabled,
    retry_on_timeout: stored.retryOnTimeout,
    ...presentOptions(stored),
    paused: presentPause(stored),
    health: presentHealth(stored),
    created_at: stored.createdAt.toISOString(),
    updated_at: stored.updatedAt.toISOString(),
    last_updated_by: stored.lastUpdatedBy,
  };
}

function presentPause({ paused }: PlainWebhook): Webhook['paused'] {
  if (paused === null) return null;
  const { reason, since, until, error } = paused;
  return { reason, since: new Date(since).toISOString(), until: new Date(until).toISOString(), error };
}

const hidden = '[hidden]';

function showSecrets(stored: StoredWebhook, secrets: WebhookSecrets, principal: Principal): WebhookSecrets {
  if (hasPermission(principal, 'webhook_update', stored.workspaceId)) return secrets;
  return hideSecrets(stored);
}

function hideSecrets(stored: PlainWebhook): WebhookSecrets {
  return replaceSecrets(stored, { values: [hidden], body: hidden });
}

function replaceSecrets(
  { destination, headerNames }: PlainWebhook,
  { values, body }: { values: string[]; body: string },
): WebhookSecrets {
  return { url: destination, headers: Object.fromEntries(headerNames.map((name) => [name, values])), body };
}
