import {
  createWebhookSchema,
  patchWebhookSchema,
  savedWebhookSchema,
  webhookSchema,
} from '@tocsin/contracts';
import type { SecretBox } from '@tocsin/database';
import { defineRoute, hasPermission, type Permission, type Principal } from '@tocsin/identity';
import type { Route } from '@tocsin/kit';
import { apiPrefix, inWorkspace, workspaceParams } from '../api-route.js';
import { type Paging, pageHeaders, pageQuery } from '../lists/paging.js';
import type { WholeLists } from '../lists/whole-lists.js';
import { principalName } from '../principal-name.js';
import { presentWebhook } from './present-webhook.js';
import type { StoredWebhook } from './stored-webhook.js';
import { type WebhookUseCases, webhookNotFound } from './webhook-use-cases.js';
import { type ListedWebhook, type WebhooksRepository, webhookSorts } from './webhooks-repository.js';

export interface WebhookRoutesDeps {
  useCases: WebhookUseCases;
  repository: WebhooksRepository;
  secretBox: SecretBox;
  paging: Paging;
  wholeLists: WholeLists;
  /** Of the API, without a path; empty where it is not known. */
  publicUrl: string;
}

const collection = `${apiPrefix}/workspaces/{workspace_id}/webhooks`;
const tag = 'webhooks';

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

/** Creating, listing, reading, changing and deleting webhooks. */
export function webhookRoutes(deps: WebhookRoutesDeps): Route<Principal>[] {
  const { useCases, repository, secretBox, paging, wholeLists, publicUrl } = deps;
  const present = (webhook: StoredWebhook, principal: Principal) =>
    presentWebhook(webhook, {
      secretBox,
      showSecrets: hasPermission(principal, 'webhook_update', webhook.workspaceId),
    });

  return [
    defineRoute({
      method: 'POST',
      path: collection,
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
          body: { ...present(webhook, principal), warnings },
        };
      },
    }),
    defineRoute({
      method: 'GET',
      path: collection,
      operationId: 'listWebhooks',
      summary: 'Lists the webhooks of a workspace; whole unless `limit` is given.',
      tag,
      access: inWorkspace('workspace_list_webhooks'),
      params: workspaceParams,
      query: {
        type: 'object',
        additionalProperties: false,
        properties: {
          name: { type: 'string', maxLength: 255, description: 'Part of the name, in any case.' },
          sort: { type: 'string', enum: webhookSorts, description: '`created_at` unless given.' },
          order: { type: 'string', enum: ['asc', 'desc'], description: '`asc` unless given.' },
          ...pageQuery,
        },
      },
      responses: {
        200: {
          description: 'The webhooks.',
          schema: { type: 'array', items: webhookSchema },
          headers: pageHeaders,
        },
      },
      async handler({ resource: { workspaceId }, query, principal }) {
        const list = { path: collection.replace('{workspace_id}', workspaceId), query };
        const { name, sort = 'created_at', order = 'asc', limit } = query;
        const after = paging.positionOf(list);
        const found = await repository.list({
          workspaceId,
          name,
          sort,
          order,
          after,
          limit: limit === undefined ? undefined : limit + 1,
        });
        const { rows, headers } = paging.page(list, found, {
          limit: limit ?? found.length,
          keyOf: (webhook) => [sortKey(webhook, sort), webhook.id],
        });
        const pages = readPages(rows, repository, (webhook) => present(webhook, principal));
        return { status: 200, headers, body: wholeLists.stream(workspaceId, pages) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${apiPrefix}/webhooks/{webhook_id}`,
      operationId: 'getWebhook',
      summary: 'Reads a webhook.',
      tag,
      access: toWebhook('webhook_read', repository),
      params: webhookParams,
      responses: { 200: { description: 'The webhook.', schema: webhookSchema } },
      problems: [404],
      handler: ({ resource, principal }) => ({ status: 200, body: present(resource, principal) }),
    }),
    defineRoute({
      method: 'PATCH',
      path: `${apiPrefix}/webhooks/{webhook_id}`,
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
        return { status: 200, body: { ...present(webhook, principal), warnings } };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${apiPrefix}/webhooks/{webhook_id}`,
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
    }),
  ];
}

/** A webhook alone may be more. */
const pageBytes = 524_288;

/** In the order of the list as it was; what is deleted meanwhile is left out. */
async function* readPages<Shown>(
  listed: readonly ListedWebhook[],
  repository: Pick<WebhooksRepository, 'findAll'>,
  show: (webhook: StoredWebhook) => Shown,
): AsyncGenerator<Shown[]> {
  let ids: string[] = [];
  let bytes = 0;
  for (const [index, webhook] of listed.entries()) {
    ids.push(webhook.id);
    bytes += webhook.bytes;
    if (bytes < pageBytes && index < listed.length - 1) continue;
    yield (await repository.findAll(ids)).map(show);
    ids = [];
    bytes = 0;
  }
}

function sortKey(webhook: ListedWebhook, sort: (typeof webhookSorts)[number]): string {
  if (sort === 'name') return webhook.name;
  return (sort === 'created_at' ? webhook.createdAt : webhook.updatedAt).toISOString();
}
