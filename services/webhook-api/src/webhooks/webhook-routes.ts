import {
  createWebhookSchema,
  externalId,
  patchWebhookSchema,
  savedWebhookSchema,
  type Webhook,
  webhookSchema,
} from '@tocsin/contracts';
import { parseCidrs } from '@tocsin/egress';
import { defineRoute, type Principal } from '@tocsin/identity';
import type { Route } from '@tocsin/kit';
import { createAlertsReader } from '../alerts/alerts-reader.js';
import { type ApiDeps, apiPrefix, inWorkspace, ofResource, pathIn, workspaceParams } from '../api-route.js';
import { authorOf, etagDescription, etagHeader } from '../change.js';
import { listQuery, listResponse } from '../lists/paging.js';
import { createWebhookChecks } from './check-webhook.js';
import { presentListedWebhook, presentWebhook, presentWithoutSecrets } from './present-webhook.js';
import { signingSecretRoutes } from './signing-secret-routes.js';
import { createSigningSecretsRepository } from './signing-secrets-repository.js';
import { createTemplates } from './templates.js';
import { testRoutes } from './test-routes.js';
import { hostQuery, parseHost } from './webhook-filter.js';
import { webhookLoader, webhookParams, webhookPath, webhooksPath } from './webhook-path.js';
import { createWebhookUseCases } from './webhook-use-cases.js';
import {
  createWebhooksRepository,
  type ListedWebhook,
  type WebhooksRepository,
  webhookSorts,
} from './webhooks-repository.js';

const tag = 'webhooks';

export function webhookRoutes({ config, secretBox, sender, ...deps }: ApiDeps): Route<Principal>[] {
  const { limits, publicUrl } = config;
  const repository = createWebhooksRepository(deps.database);
  const templates = createTemplates();
  const checks = createWebhookChecks({ allow: parseCidrs(config.egress.allow), sender, templates });
  const maxPerWorkspace = limits.webhooksPerWorkspace;
  const signingSecrets = createSigningSecretsRepository(deps.database);
  const useCases = createWebhookUseCases({
    repository,
    signingSecrets,
    secretBox,
    checks,
    maxPerWorkspace,
    now: deps.now,
  });
  const load = webhookLoader(repository);
  return [
    defineRoute({
      method: 'POST',
      path: webhooksPath,
      operationId: 'createWebhook',
      summary: 'Creates a webhook.',
      tag,
      access: inWorkspace('workspace_create_webhook'),
      params: workspaceParams,
      body: createWebhookSchema,
      furtherErrors: (body, { workspaceId }) => useCases.errorsOf(workspaceId, body),
      responses: {
        201: {
          description: 'The webhook.',
          schema: savedWebhookSchema,
          headers: { Location: 'URL of the webhook.', ...etagDescription },
        },
      },
      problems: [409],
      async handler({ log, ...request }) {
        const { resource, body, principal } = request;
        const { webhook, warnings } = await useCases.create(resource.workspaceId, body, authorOf(request));
        log({ webhook_id: webhook.id });
        const location = `${publicUrl}${apiPrefix}/webhooks/${webhook.id}`;
        const headers = { Location: location, ...etagHeader(webhook) };
        const shown = presentWebhook(webhook, { secretBox, principal });
        return { status: 201, headers, body: { ...shown, warnings } };
      },
    }),
    listRoute({ ...deps, secretBox, repository }),
    defineRoute({
      method: 'GET',
      path: webhookPath,
      operationId: 'getWebhook',
      summary: 'Reads a webhook.',
      tag,
      access: ofResource('webhook_read', load),
      params: webhookParams,
      responses: {
        200: { description: 'The webhook.', schema: webhookSchema, headers: etagDescription },
      },
      problems: [404, 409],
      handler: async ({ resource, principal }) => ({
        status: 200,
        headers: etagHeader(resource),
        body: presentWebhook(resource, { secretBox, principal }),
      }),
    }),
    defineRoute({
      method: 'PATCH',
      path: webhookPath,
      operationId: 'updateWebhook',
      summary: 'Changes writable fields of a webhook.',
      description: 'A request that changes no value does not change the ETag.',
      tag,
      access: ofResource('webhook_update', load),
      params: webhookParams,
      body: patchWebhookSchema,
      furtherErrors: (body, webhook) => useCases.errorsOf(webhook.workspaceId, body, webhook),
      responses: {
        200: { description: 'The whole webhook.', schema: savedWebhookSchema, headers: etagDescription },
      },
      problems: [404, 409],
      conditional: true,
      async handler({ resource, body, principal, ...request }) {
        const author = authorOf({ principal, ...request });
        const { webhook, warnings } = await useCases.update(resource, body, author);
        const shown = presentWebhook(webhook, { secretBox, principal });
        return { status: 200, headers: etagHeader(webhook), body: { ...shown, warnings } };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: webhookPath,
      operationId: 'deleteWebhook',
      summary: 'Deletes a webhook.',
      description: 'A webhook that alert rules use is deleted only with `force`, which detaches it first.',
      tag,
      access: ofResource('webhook_delete', load),
      params: webhookParams,
      query: {
        type: 'object',
        additionalProperties: false,
        properties: {
          force: {
            type: 'boolean',
            description: 'True: the webhook is also removed from alert rules that use it.',
          },
        },
      },
      responses: { 204: { description: 'The webhook is deleted.' } },
      problems: [404, 409],
      conditional: true,
      async handler({ resource, query, log, ...request }) {
        const { force: detach = false } = query;
        const rules = await useCases.delete(resource, { detach }, authorOf(request));
        if (rules.length > 0) log({ detached_from: rules.slice(0, maxLogged).map(({ id }) => id) });
        return { status: 204 };
      },
    }),
    ...signingSecretRoutes({ repository: signingSecrets, load, secretBox, now: deps.now }),
    ...testRoutes({
      load,
      secretBox,
      signingSecrets,
      sender,
      checks,
      templates,
      alerts: createAlertsReader(deps.database),
      testsPerMinute: limits.testsPerMinute,
    }),
  ];
}

/** Maximum number of detached rules in the log line of a deletion, because thousands of rules can use a webhook. */
const maxLogged = 20;

interface ListDeps extends Pick<ApiDeps, 'paging' | 'listLimiter' | 'secretBox'> {
  repository: WebhooksRepository;
}

function listRoute({ repository, secretBox, paging, listLimiter }: ListDeps): Route<Principal> {
  return defineRoute({
    method: 'GET',
    path: webhooksPath,
    operationId: 'listWebhooks',
    summary: 'Lists the webhooks of a workspace. Without `limit`, the response has all of them.',
    tag,
    access: inWorkspace('workspace_list_webhooks'),
    params: workspaceParams,
    query: listQuery({
      name: { type: 'string', maxLength: 255, description: 'Text that the name contains, ignoring case.' },
      external_id: externalId,
      host: hostQuery,
      sort: { type: 'string', enum: webhookSorts, description: 'Field to sort by. Default: `created_at`.' },
      order: { type: 'string', enum: ['asc', 'desc'], description: 'Sort order. Default: `asc`.' },
      secrets: {
        type: 'boolean',
        description:
          'False: every caller sees url, headers and body as callers without `webhook_update` do. Long lists are then much faster. Default: true.',
      },
    }),
    responses: { 200: listResponse('The webhooks.', webhookSchema) },
    problems: [503],
    // Shared responses stay in memory for up to 10 s, so lists with secrets (url, headers, body) are not shared.
    isShareable: ({ secrets }) => secrets === false,
    async handler({ resource: { workspaceId }, query, principal }) {
      const list = { path: pathIn(webhooksPath, workspaceId), query };
      const { name, external_id, sort = 'created_at', order = 'asc', secrets = true, limit } = query;
      const after = paging.positionOf(list);
      const filter = {
        workspaceId,
        name,
        externalId: external_id,
        host: query.host === undefined ? undefined : parseHost(query.host),
      };
      const wanted = { ...filter, sort, order, after, limit: limit && limit + 1 };
      const found = await listLimiter.run(workspaceId, () => repository.list(wanted));
      const { rows, headers } = await paging.page(list, found, {
        limit: limit ?? found.length,
        keyOf: ({ sortValue, id }) => [sortValue, id],
        count: (max) => repository.count(filter, max),
      });
      const pages = secrets
        ? readPages(rows, {
            find: repository.findAll,
            show: (webhook) => presentListedWebhook(webhook, { secretBox, principal }),
            bytesOf: ({ bytes }) => bytes,
          })
        : readPages(rows, {
            find: (ids) => repository.findAllWithoutSecrets(ids, secretBox.keyIds),
            show: presentWithoutSecrets,
            bytesOf: () => plainBytes,
          });
      return { status: 200, headers, body: listLimiter.stream(workspaceId, pages) };
    },
  });
}

/** Functions that read the webhooks of a list and convert them to the format of the API. */
interface WebhookPresenter<Stored> {
  find(ids: readonly string[]): Promise<Stored[]>;
  show(webhook: Stored): Webhook;
  /** Returns the size of the values that `find` reads for a webhook, in bytes. */
  bytesOf(webhook: ListedWebhook): number;
}

/** Typical size of a webhook without its encrypted URL, headers and body, in bytes. */
const plainBytes = 512;

/** Size at which a page ends, in bytes. The last webhook of a page can exceed it. */
const pageBytes = 524_288;

/**
 * Reads webhooks page by page, in the order of `listed`. Webhooks that have been deleted since `listed` was read are
 * omitted.
 */
async function* readPages<Stored extends { id: string }>(
  listed: readonly ListedWebhook[],
  { find, show, bytesOf }: WebhookPresenter<Stored>,
): AsyncGenerator<Webhook[]> {
  let ids: string[] = [];
  let bytes = 0;
  for (const [index, webhook] of listed.entries()) {
    ids.push(webhook.id);
    bytes += bytesOf(webhook);
    if (bytes < pageBytes && index < listed.length - 1) continue;
    const webhooks = await find(ids);
    yield webhooks.map(show);
    ids = [];
    bytes = 0;
  }
}
