import {
  createWebhookSchema,
  patchWebhookSchema,
  savedWebhookSchema,
  webhookSchema,
} from '@tocsin/contracts';
import { defineRoute, type Principal } from '@tocsin/identity';
import type { Route } from '@tocsin/kit';
import { apiPrefix, inWorkspace, workspaceParams } from '../api-route.js';
import { principalName } from '../principal-name.js';
import { type ListWebhooksDeps, listWebhooksRoute } from './list-webhooks-route.js';
import { presentWebhook } from './present-webhook.js';
import { toWebhook, webhookParams, webhookPath, webhooksPath } from './webhook-path.js';
import type { WebhookUseCases } from './webhook-use-cases.js';

export interface WebhookRoutesDeps extends ListWebhooksDeps {
  useCases: WebhookUseCases;
  /** Of the API, without a path; empty where it is not known. */
  publicUrl: string;
}

const tag = 'webhooks';

/** Creating, listing, reading, changing and deleting webhooks. */
export function webhookRoutes(deps: WebhookRoutesDeps): Route<Principal>[] {
  return [createRoute(deps), listWebhooksRoute(deps), readRoute(deps), updateRoute(deps), deleteRoute(deps)];
}

function createRoute({ useCases, secretBox, publicUrl }: WebhookRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'POST',
    path: webhooksPath,
    operationId: 'createWebhook',
    summary: 'Creates a webhook.',
    tag,
    access: inWorkspace('workspace_create_webhook'),
    params: workspaceParams,
    body: createWebhookSchema,
    responses: {
      201: {
        description: 'The webhook.',
        schema: savedWebhookSchema,
        headers: { Location: 'Where it can be read.' },
      },
    },
    problems: [409],
    async handler({ resource, body, principal }) {
      const by = { principal: principalName(principal) };
      const { webhook, warnings } = await useCases.create(resource.workspaceId, body, by);
      return {
        status: 201,
        headers: { Location: `${publicUrl}${apiPrefix}/webhooks/${webhook.id}` },
        body: { ...presentWebhook(webhook, { secretBox, principal }), warnings },
      };
    },
  });
}

function readRoute({ repository, secretBox }: WebhookRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'GET',
    path: webhookPath,
    operationId: 'getWebhook',
    summary: 'Reads a webhook.',
    tag,
    access: toWebhook('webhook_read', repository),
    params: webhookParams,
    responses: { 200: { description: 'The webhook.', schema: webhookSchema } },
    problems: [404],
    handler: ({ resource, principal }) => ({
      status: 200,
      body: presentWebhook(resource, { secretBox, principal }),
    }),
  });
}

function updateRoute({ useCases, repository, secretBox }: WebhookRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'PATCH',
    path: webhookPath,
    operationId: 'updateWebhook',
    summary: 'Changes any of the writable fields of a webhook.',
    tag,
    access: toWebhook('webhook_update', repository),
    params: webhookParams,
    body: patchWebhookSchema,
    responses: { 200: { description: 'The whole webhook.', schema: savedWebhookSchema } },
    problems: [404, 409],
    async handler({ resource, body, principal }) {
      const by = { principal: principalName(principal) };
      const { webhook, warnings } = await useCases.update(resource, body, by);
      return { status: 200, body: { ...presentWebhook(webhook, { secretBox, principal }), warnings } };
    },
  });
}

function deleteRoute({ useCases, repository }: WebhookRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'DELETE',
    path: webhookPath,
    operationId: 'deleteWebhook',
    summary: 'Deletes a webhook.',
    description: 'One that alert rules use is only deleted with `force`, which detaches it from them.',
    tag,
    access: toWebhook('webhook_delete', repository),
    params: webhookParams,
    query: {
      type: 'object',
      additionalProperties: false,
      properties: { force: { type: 'boolean', description: 'Detach it from the rules that use it.' } },
    },
    responses: { 204: { description: 'It is gone.' } },
    problems: [404, 409],
    async handler({ resource, query }) {
      await useCases.delete(resource.id, { detach: query.force ?? false });
      return { status: 204 };
    },
  });
}
