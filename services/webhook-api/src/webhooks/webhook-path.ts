import type { Permission } from '@tocsin/identity';
import { apiPrefix } from '../api-route.js';
import { webhookNotFound } from './webhook-use-cases.js';
import type { WebhooksRepository } from './webhooks-repository.js';

export const webhooksPath = `${apiPrefix}/workspaces/{workspace_id}/webhooks`;
export const webhookPath = `${apiPrefix}/webhooks/{webhook_id}`;

export const webhookParams = {
  type: 'object',
  additionalProperties: false,
  properties: { webhook_id: { type: 'string', format: 'uuid' } },
  required: ['webhook_id'],
} as const;

/** Access to the webhook that a path names, in whatever workspace it is. */
export function toWebhook<const P extends Permission>(permission: P, repository: WebhooksRepository) {
  return {
    permission,
    async locate({ webhook_id }: { webhook_id: string }) {
      const resource = await repository.find(webhook_id);
      if (resource === undefined) throw webhookNotFound();
      return { workspaceId: resource.workspaceId, resource };
    },
  };
}
