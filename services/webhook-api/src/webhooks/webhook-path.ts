import { apiPrefix, idParams, orNotFound } from '../api-route.js';
import type { StoredWebhook } from './stored-webhook.js';
import type { WebhooksRepository } from './webhooks-repository.js';

export const webhooksPath = `${apiPrefix}/workspaces/{workspace_id}/webhooks`;
export const webhookPath = `${apiPrefix}/webhooks/{webhook_id}`;

export const webhookParams = idParams('webhook_id');

/** Returns a function that loads the webhook in a path. It throws `not_found` for an unknown id. */
export function webhookLoader(repository: Pick<WebhooksRepository, 'find'>) {
  return async ({ webhook_id }: { webhook_id: string }): Promise<StoredWebhook> =>
    orNotFound(await repository.find(webhook_id), 'webhook');
}
