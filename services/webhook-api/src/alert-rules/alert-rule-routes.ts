import {
  type AlertRule,
  alertRuleSchema,
  createAlertRuleSchema,
  externalId,
  patchAlertRuleSchema,
  uuid,
} from '@tocsin/contracts';
import { defineRoute, type Principal } from '@tocsin/identity';
import type { Route } from '@tocsin/kit';
import {
  type ApiDeps,
  apiPrefix,
  idParams,
  inWorkspace,
  loaderOf,
  ofResource,
  pathIn,
  workspaceParams,
} from '../api-route.js';
import { authorOf, etagDescription, etagHeader } from '../change.js';
import { listQuery, listResponse } from '../lists/paging.js';
import { createAlertRuleUseCases, writableFields } from './alert-rule-use-cases.js';
import {
  type AlertRuleQuery,
  type AlertRulesRepository,
  createAlertRulesRepository,
  type StoredAlertRule,
} from './alert-rules-repository.js';

const collection = `${apiPrefix}/workspaces/{workspace_id}/alert_rules`;
const single = `${apiPrefix}/alert_rules/{alert_rule_id}`;
const params = idParams('alert_rule_id');
const tag = 'alert rules';

export function alertRuleRoutes({ config, database, now, ...deps }: ApiDeps): Route<Principal>[] {
  const repository = createAlertRulesRepository(database);
  const maxPerWorkspace = config.limits.alertRulesPerWorkspace;
  const useCases = createAlertRuleUseCases({ repository, maxPerWorkspace, now });
  const load = loaderOf('alert_rule_id', 'alert rule', repository.find);
  return [
    defineRoute({
      method: 'POST',
      path: collection,
      operationId: 'createAlertRule',
      summary: 'Creates an alert rule.',
      tag,
      access: inWorkspace('workspace_create_alert_rule'),
      params: workspaceParams,
      body: createAlertRuleSchema,
      furtherErrors: (body, { workspaceId }) => useCases.errorsOf(workspaceId, body),
      responses: {
        201: {
          description: 'The alert rule.',
          schema: alertRuleSchema,
          headers: { Location: 'URL of the alert rule.', ...etagDescription },
        },
      },
      problems: [409],
      async handler({ resource, body, log, ...request }) {
        const rule = await useCases.create(resource.workspaceId, body, authorOf(request));
        log({ alert_rule_id: rule.id });
        const location = `${config.publicUrl}${apiPrefix}/alert_rules/${rule.id}`;
        return { status: 201, headers: { Location: location, ...etagHeader(rule) }, body: present(rule) };
      },
    }),
    listRoute({ ...deps, repository }),
    defineRoute({
      method: 'GET',
      path: single,
      operationId: 'getAlertRule',
      summary: 'Reads an alert rule.',
      tag,
      access: ofResource('alert_rule_read', load),
      params,
      responses: {
        200: { description: 'The alert rule.', schema: alertRuleSchema, headers: etagDescription },
      },
      problems: [404],
      handler: ({ resource }) => ({ status: 200, headers: etagHeader(resource), body: present(resource) }),
    }),
    defineRoute({
      method: 'PATCH',
      path: single,
      operationId: 'updateAlertRule',
      summary: 'Changes writable fields of an alert rule.',
      description: 'A request that changes no value does not change the ETag.',
      tag,
      access: ofResource('alert_rule_update', load),
      params,
      body: patchAlertRuleSchema,
      furtherErrors: (body, { workspaceId }) => useCases.errorsOf(workspaceId, body),
      responses: {
        200: { description: 'The whole alert rule.', schema: alertRuleSchema, headers: etagDescription },
      },
      problems: [404, 409],
      conditional: true,
      async handler({ resource, body, ...request }) {
        const rule = await useCases.update(resource, body, authorOf(request));
        return { status: 200, headers: etagHeader(rule), body: present(rule) };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: single,
      operationId: 'deleteAlertRule',
      summary: 'Deletes an alert rule. Its alerts that are not dispatched yet are not delivered.',
      tag,
      access: ofResource('alert_rule_delete', load),
      params,
      responses: { 204: { description: 'The alert rule is deleted.' } },
      problems: [404],
      conditional: true,
      async handler({ resource, ...request }) {
        await useCases.delete(resource, authorOf(request));
        return { status: 204 };
      },
    }),
  ];
}

interface ListDeps extends Pick<ApiDeps, 'paging' | 'listLimiter'> {
  repository: Pick<AlertRulesRepository, 'list' | 'count'>;
}

function listRoute({ repository, paging, listLimiter }: ListDeps): Route<Principal> {
  return defineRoute({
    method: 'GET',
    path: collection,
    operationId: 'listAlertRules',
    summary:
      'Lists the alert rules of a workspace, oldest first. Without `limit`, the response has all of them.',
    tag,
    access: inWorkspace('workspace_list_alert_rules'),
    params: workspaceParams,
    query: listQuery({
      external_id: externalId,
      webhook_id: { ...uuid, description: 'Id of a webhook. Only rules that call it are listed.' },
    }),
    responses: { 200: listResponse('The alert rules.', alertRuleSchema) },
    problems: [503],
    async handler({ resource: { workspaceId }, query }) {
      const list = { path: pathIn(collection, workspaceId), query };
      const { limit, external_id, webhook_id } = query;
      const filter = { workspaceId, externalId: external_id, webhookId: webhook_id };
      const count = (max: number) => repository.count(filter, max);
      const wanted = { ...filter, after: paging.positionOf(list)?.[0] };
      if (limit === undefined) {
        const headers = await paging.totalOf(list, count);
        return { status: 200, headers, body: listLimiter.stream(workspaceId, readPages(repository, wanted)) };
      }
      const found = await repository.list({ ...wanted, limit: limit + 1 });
      const { rows, headers } = await paging.page(list, found, { limit, keyOf: ({ id }) => [id], count });
      return { status: 200, headers, body: rows.map(present) };
    },
  });
}

const pageRows = 250;

async function* readPages(
  repository: Pick<AlertRulesRepository, 'list'>,
  wanted: Omit<AlertRuleQuery, 'limit'>,
): AsyncGenerator<AlertRule[]> {
  let { after } = wanted;
  for (let isLast = false; !isLast; ) {
    const rules = await repository.list({ ...wanted, after, limit: pageRows });
    yield rules.map(present);
    after = rules.at(-1)?.id;
    isLast = rules.length < pageRows;
  }
}

function present(rule: StoredAlertRule): AlertRule {
  return {
    id: rule.id,
    workspace_id: rule.workspaceId,
    ...writableFields(rule),
    created_at: rule.createdAt.toISOString(),
    updated_at: rule.updatedAt.toISOString(),
    last_updated_by: rule.lastUpdatedBy,
  };
}
