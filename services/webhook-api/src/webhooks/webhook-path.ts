import { apiPrefix, idParams, loaderOf } from '../api-route.js';
import type { WebhooksRepository } from './webhooks-repository.js';

export const webhooksPath = `${apiPrefix}/workspaces/{workspace_id}/webhooks`;
export const webhookPath = `${apiPrefix}/webhooks/{webhook_id}`;

export const webhookParams = idParams('webhook_id');

/** Creates a function that loads the webhook in a path. It throws `not_found` for an unknown id. */
export function webhookLoader({ find }: Pick<WebhooksRepository, 'find'>) {
  return loaderOf('webhook_id', 'webhook', find);
}
