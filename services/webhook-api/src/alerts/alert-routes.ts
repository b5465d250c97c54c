import { alertAcceptedSchema, alertOutcomes, alertSchema, publishAlertSchema } from '@tocsin/contracts';
import { defineRoute, type Principal } from '@tocsin/identity';
import { AppError, type Route } from '@tocsin/kit';
import type { Publisher } from '@tocsin/messaging';
import { apiPrefix, inWorkspace, pathIn, workspaceParams } from '../api-route.js';
import { listResponse, type Paging, pageQuery } from '../lists/paging.js';
import type { Searches } from '../lists/searches.js';
import { idRange, timeRangeQuery } from '../lists/time-range.js';
import { publishAlertOperation } from '../rate-limits.js';
import type { AlertsReader, StoredAlert } from './alerts-reader.js';
import { presentAlert } from './present-alert.js';
import { createPublishAlert } from './publish-alert.js';

export interface AlertRoutesDeps {
  reader: AlertsReader;
  searches: Searches;
  publisher: Pick<Publisher, 'publish'>;
  paging: Paging;
  /** Of the API, without a path; empty where it is not known. */
  publicUrl: string;
  now: () => Date;
}

const collection = `${apiPrefix}/workspaces/{workspace_id}/alerts`;
const tag = 'alerts';

const uuid = { type: 'string', format: 'uuid' } as const;
const alertParams = {
  ...workspaceParams,
  properties: { ...workspaceParams.properties, alert_id: uuid },
  required: ['workspace_id', 'alert_id'],
} as const;

/** Publishing, listing and reading alerts. */
export function alertRoutes(deps: AlertRoutesDeps): Route<Principal>[] {
  return [publishRoute(deps), listRoute(deps), readRoute(deps)];
}

function publishRoute({ reader, publisher, publicUrl, now }: AlertRoutesDeps): Route<Principal> {
  const publishAlert = createPublishAlert({ reader, publisher, now });
  return defineRoute({
    method: 'POST',
    path: collection,
    operationId: publishAlertOperation,
    summary: 'Publishes an alert that has fired; answers once the broker has taken it.',
    description: 'The same alert_id again is the same alert: repeating a request is safe.',
    tag,
    access: inWorkspace('workspace_publish_alert'),
    params: workspaceParams,
    body: publishAlertSchema,
    responses: {
      202: {
        description: 'The broker has taken it.',
        schema: alertAcceptedSchema,
        headers: { Location: 'Where it can be read in a moment.' },
      },
    },
    problems: [503],
    async handler({ resource: { workspaceId }, body, requestId, log }) {
      const alertId = await publishAlert({ workspaceId, body, requestId });
      log({ workspace_id: workspaceId, alert_id: alertId });
      const headers = { Location: `${publicUrl}${pathIn(collection, workspaceId)}/${alertId}` };
      return { status: 202, headers, body: { alert_id: alertId } };
    },
  });
}

function listRoute({ reader, searches, paging }: AlertRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'GET',
    path: collection,
    operationId: 'listAlerts',
    summary: 'Lists the alerts of a workspace, newest first.',
    tag,
    access: inWorkspace('alert_read'),
    params: workspaceParams,
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        alert_rule_id: uuid,
        outcome: { type: 'string', enum: alertOutcomes },
        ...timeRangeQuery,
        ...pageQuery,
      },
    },
    responses: { 200: listResponse('The alerts.', alertSchema) },
    problems: [503],
    async handler({ resource: { workspaceId }, query }) {
      const list = { path: pathIn(collection, workspaceId), query };
      const { limit = 50, alert_rule_id: alertRuleId, outcome } = query;
      const range = idRange(query, paging.positionOf(list));
      const found = await searches.run(workspaceId, () =>
        reader.list({ workspaceId, range, alertRuleId, outcome, limit: limit + 1 }),
      );
      const keyOf = (alert: StoredAlert) => [alert.recordId];
      const { rows, headers } = paging.page(list, found, { limit, keyOf });
      return { status: 200, headers, body: rows.map(presentAlert) };
    },
  });
}

function readRoute({ reader }: AlertRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'GET',
    path: `${collection}/{alert_id}`,
    operationId: 'getAlert',
    summary: 'Reads an alert.',
    description: 'For a moment after it was published it may not be found yet.',
    tag,
    access: inWorkspace('alert_read'),
    params: alertParams,
    responses: { 200: { description: 'The alert.', schema: alertSchema } },
    problems: [404],
    async handler({ resource: { workspaceId }, params }) {
      const alert = await reader.find(workspaceId, params.alert_id.toLowerCase());
      if (alert === undefined) throw new AppError('not_found', 'There is no alert with this id.');
      return { status: 200, body: presentAlert(alert) };
    },
  });
}
