import { webhookSchema } from '@tocsin/contracts';
import type { SecretBox } from '@tocsin/database';
import { defineRoute, type Principal } from '@tocsin/identity';
import type { Route } from '@tocsin/kit';
import { inWorkspace, pathIn, workspaceParams } from '../api-route.js';
import { listResponse, type Paging, pageQuery } from '../lists/paging.js';
import type { WholeLists } from '../lists/whole-lists.js';
import { presentWebhook } from './present-webhook.js';
import type { StoredWebhook } from './stored-webhook.js';
import { webhooksPath } from './webhook-path.js';
import { type ListedWebhook, type WebhooksRepository, webhookSorts } from './webhooks-repository.js';

export interface ListWebhooksDeps {
  repository: WebhooksRepository;
  secretBox: SecretBox;
  paging: Paging;
  wholeLists: WholeLists;
}

export function listWebhooksRoute(deps: ListWebhooksDeps): Route<Principal> {
  const { repository, secretBox, paging, wholeLists } = deps;
  return defineRoute({
    method: 'GET',
    path: webhooksPath,
    operationId: 'listWebhooks',
    summary: 'Lists the webhooks of a workspace; whole unless `limit` is given.',
    tag: 'webhooks',
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
    responses: { 200: listResponse('The webhooks.', webhookSchema) },
    async handler({ resource: { workspaceId }, query, principal }) {
      const list = { path: pathIn(webhooksPath, workspaceId), query };
      const { name, sort = 'created_at', order = 'asc', limit } = query;
      const after = paging.positionOf(list);
      const oneMore = limit === undefined ? undefined : limit + 1;
      const found = await repository.list({ workspaceId, name, sort, order, after, limit: oneMore });
      const { rows, headers } = paging.page(list, found, {
        limit: limit ?? found.length,
        keyOf: (webhook) => [sortKey(webhook, sort), webhook.id],
      });
      const show = (webhook: StoredWebhook) => presentWebhook(webhook, { secretBox, principal });
      const pages = readPages(rows, repository, show);
      return { status: 200, headers, body: wholeLists.stream(workspaceId, pages) };
    },
  });
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
