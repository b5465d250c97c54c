import type { Webhook } from '@tocsin/contracts';
import type { SecretBox } from '@tocsin/database';
import { hasPermission, type Principal } from '@tocsin/identity';
import { decryptSecrets, type StoredWebhook, type WebhookSecrets } from './stored-webhook.js';

/**
 * A webhook as its caller may see it: whole, or for readers without what could be a credential. One that this process
 * has not the key for is shown as to a reader: it must not spoil a list, and can be saved anew or deleted.
 */
export function presentWebhook(
  stored: StoredWebhook,
  { secretBox, principal }: { secretBox: SecretBox; principal: Principal },
): Webhook {
  const showSecrets = hasPermission(principal, 'webhook_update', stored.workspaceId);
  const secrets = showSecrets ? decryptSecrets(secretBox, stored) : undefined;
  const { url, headers, body } = secrets ?? hideSecrets(stored);
  return {
    id: stored.id,
    workspace_id: stored.workspaceId,
    name: stored.name,
    url,
    headers,
    body,
    enabled: stored.enabled,
    retry_on_timeout: stored.retryOnTimeout,
    created_at: stored.createdAt.toISOString(),
    updated_at: stored.updatedAt.toISOString(),
    last_updated_by: stored.lastUpdatedBy,
  };
}

/** Stands where a reader may not see what could be a credential. */
const hidden = '[hidden]';

function hideSecrets({ destination, headerNames }: StoredWebhook): WebhookSecrets {
  return {
    url: destination,
    headers: Object.fromEntries(headerNames.map((name) => [name, [hidden]])),
    body: hidden,
  };
}
