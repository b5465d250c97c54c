import {
  type AlertRule,
  alertRuleSchema,
  createAlertRuleSchema,
  patchAlertRuleSchema,
} from '@tocsin/contracts';
import { defineRoute, type Permission, type Principal } from '@tocsin/identity';
import type { Route } from '@tocsin/kit';
import { apiPrefix, inWorkspace, pathIn, workspaceParams } from '../api-route.js';
import { listResponse, type Paging, pageQuery } from '../lists/paging.js';
import type { WholeLists } from '../lists/whole-lists.js';
import { type AlertRuleUseCases, alertRuleNotFound } from './alert-rule-use-cases.js';
import type { AlertRulesRepository, StoredAlertRule } from './alert-rules-repository.js';

export interface AlertRuleRoutesDeps {
  useCases: AlertRuleUseCases;
  repository: AlertRulesRepository;
  paging: Paging;
  wholeLists: WholeLists;
  /** Of the API, without a path; empty where it is not known. */
  publicUrl: string;
}

const collection = `${apiPrefix}/workspaces/{workspace_id}/alert_rules`;
const single = `${apiPrefix}/alert_rules/{alert_rule_id}`;
const tag = 'alert rules';

const alertRuleParams = {
  type: 'object',
  additionalProperties: false,
  properties: { alert_rule_id: { type: 'string', format: 'uuid' } },
  required: ['alert_rule_id'],
} as const;

/** Creating, listing, reading, changing and deleting alert rules, as far as they concern webhooks. */
export function alertRuleRoutes(deps: AlertRuleRoutesDeps): Route<Principal>[] {
  return [createRoute(deps), listRoute(deps), readRoute(deps), updateRoute(deps), deleteRoute(deps)];
}

function createRoute({ useCases, publicUrl }: AlertRuleRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'POST',
    path: collection,
    operationId: 'createAlertRule',
    summary: 'Creates an alert rule.',
    tag,
    access: inWorkspace('workspace_create_alert_rule'),
    params: workspaceParams,
    body: createAlertRuleSchema,
    responses: {
      201: {
        description: 'The rule.',
        schema: alertRuleSchema,
        headers: { Location: 'Where it can be read.' },
      },
    },
    async handler({ resource, body }) {
      const rule = await useCases.create(resource.workspaceId, body);
      const headers = { Location: `${publicUrl}${apiPrefix}/alert_rules/${rule.id}` };
      return { status: 201, headers, body: present(rule) };
    },
  });
}

function listRoute({ repository, paging, wholeLists }: AlertRuleRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'GET',
    path: collection,
    operationId: 'listAlertRules',
    summary: 'Lists the alert rules of a workspace, oldest first; whole unless `limit` is given.',
    tag,
    access: inWorkspace('workspace_list_alert_rules'),
    params: workspaceParams,
    query: { type: 'object', additionalProperties: false, properties: pageQuery },
    responses: { 200: listResponse('The rules.', alertRuleSchema) },
    async handler({ resource: { workspaceId }, query }) {
      const list = { path: pathIn(collection, workspaceId), query };
      const { limit } = query;
      const after = paging.positionOf(list)?.[0];
      if (limit === undefined) {
        const pages = readPages(repository, workspaceId, after);
        return { status: 200, body: wholeLists.stream(workspaceId, pages) };
      }
      const found = await repository.list({ workspaceId, after, limit: limit + 1 });
      const options = { limit, keyOf: (rule: StoredAlertRule) => [rule.id] };
      const { rows, headers } = paging.page(list, found, options);
      return { status: 200, headers, body: rows.map(present) };
    },
  });
}

function readRoute({ repository }: AlertRuleRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'GET',
    path: single,
    operationId: 'getAlertRule',
    summary: 'Reads an alert rule.',
    tag,
    access: toAlertRule('alert_rule_read', repository),
    params: alertRuleParams,
    responses: { 200: { description: 'The rule.', schema: alertRuleSchema } },
    problems: [404],
    handler: ({ resource }) => ({ status: 200, body: present(resource) }),
  });
}

function updateRoute({ useCases, repository }: AlertRuleRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'PATCH',
    path: single,
    operationId: 'updateAlertRule',
    summary: 'Changes any of the writable fields of an alert rule.',
    tag,
    access: toAlertRule('alert_rule_update', repository),
    params: alertRuleParams,
    body: patchAlertRuleSchema,
    responses: { 200: { description: 'The whole rule.', schema: alertRuleSchema } },
    problems: [404],
    handler: async ({ resource, body }) => ({
      status: 200,
      body: present(await useCases.update(resource, body)),
    }),
  });
}

function deleteRoute({ useCases, repository }: AlertRuleRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'DELETE',
    path: single,
    operationId: 'deleteAlertRule',
    summary: 'Deletes an alert rule; alerts of it that are still on their way deliver nothing.',
    tag,
    access: toAlertRule('alert_rule_delete', repository),
    params: alertRuleParams,
    responses: { 204: { description: 'It is gone.' } },
    problems: [404],
    async handler({ resource }) {
      await useCases.delete(resource.id);
      return { status: 204 };
    },
  });
}

function toAlertRule<const P extends Permission>(permission: P, repository: AlertRulesRepository) {
  return {
    permission,
    async locate({ alert_rule_id }: { alert_rule_id: string }) {
      const resource = await repository.find(alert_rule_id);
      if (resource === undefined) throw alertRuleNotFound();
      return { workspaceId: resource.workspaceId, resource };
    },
  };
}

const pageRows = 250;

async function* readPages(
  repository: Pick<AlertRulesRepository, 'list'>,
  workspaceId: string,
  first: string | undefined,
): AsyncGenerator<AlertRule[]> {
  let after = first;
  for (let isLast = false; !isLast; ) {
    const rules = await repository.list({ workspaceId, after, limit: pageRows });
    yield rules.map(present);
    after = rules.at(-1)?.id;
    isLast = rules.length < pageRows;
  }
}

function present(rule: StoredAlertRule): AlertRule {
  return {
    id: rule.id,
    workspace_id: rule.workspaceId,
    name: rule.name,
    model_id: rule.modelId,
    threshold: rule.threshold,
    bound: rule.bound,
    enabled: rule.enabled,
    notification_webhook_ids: rule.webhookIds,
    created_at: rule.createdAt.toISOString(),
    updated_at: rule.updatedAt.toISOString(),
  };
}
