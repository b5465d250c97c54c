import type { Webhook } from '@tocsin/contracts';
import type { SecretBox } from '@tocsin/database';
import { hasPermission, type Principal } from '@tocsin/identity';
import { decryptSecrets, type StoredWebhook, type WebhookSecrets } from './stored-webhook.js';

/**
 * A webhook as the caller can see it. Its secrets are hidden from readers, and from all callers when this process lacks
 * their key: such a webhook can still be listed, overwritten and deleted.
 */
export function presentWebhook(
  stored: StoredWebhook,
  { secretBox, principal }: { secretBox: SecretBox; principal: Principal },
): Webhook {
  const showSecrets = hasPermission(principal, 'webhook_update', stored.workspaceId);
  const secrets = showSecrets ? decryptSecrets(secretBox, stored) : undefined;
  return {
    id: stored.id,
    workspace_id: stored.workspaceId,
    name: stored.name,
    ...(secrets ?? hideSecrets(stored)),
    enabled: stored.enabled,
    retry_on_timeout: stored.retryOnTimeout,
    created_at: stored.createdAt.toISOString(),
    updated_at: stored.updatedAt.toISOString(),
    last_updated_by: stored.lastUpdatedBy,
  };
}

const hidden = '[hidden]';

function hideSecrets({ destination, headerNames }: StoredWebhook): WebhookSecrets {
  return {
    url: destination,
    headers: Object.fromEntries(headerNames.map((name) => [name, [hidden]])),
    body: hidden,
  };
}
