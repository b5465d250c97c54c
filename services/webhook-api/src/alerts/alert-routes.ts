import {
  type Alert,
  type AlertOutcome,
  alertDispatchedSchema,
  alertOutcomes,
  alertSchema,
  uuid,
} from '@tocsin/contracts';
import { publisherId } from '@tocsin/deliveries';
import { defineRoute, hasPermission, type Principal, principalId } from '@tocsin/identity';
import { AppError, type Route } from '@tocsin/kit';
import {
  type ApiDeps,
  apiPrefix,
  emptyBody,
  idParams,
  inWorkspace,
  pathIn,
  workspaceParams,
} from '../api-route.js';
import { authorOf } from '../change.js';
import { presentDelivery } from '../deliveries/present-delivery.js';
import { historyQuery, listResponse } from '../lists/paging.js';
import { labelQuery, modelQuery, requireRecentSince } from '../lists/search-query.js';
import { factsOf } from './alert-facts.js';
import { createAlertsReader, type StoredAlert } from './alerts-reader.js';
import { createDispatchAlert } from './dispatch-alert.js';
import { publishRoutes } from './publish-routes.js';

const collection = `${apiPrefix}/workspaces/{workspace_id}/alerts`;
const tag = 'alerts';
const ownAlertsOnly =
  'A caller with no role but `publisher` sees the alerts that it published over REST, and no others.';

export function alertRoutes(deps: ApiDeps): Route<Principal>[] {
  const { paging, searchLimiter, quota, secretBox, now } = deps;
  const reader = createAlertsReader(deps.database);
  const dispatch = createDispatchAlert({ database: deps.database, quota });
  return [
    ...publishRoutes(deps),
    defineRoute({
      method: 'GET',
      path: collection,
      operationId: 'listAlerts',
      summary: 'Lists the alerts of a workspace, newest first.',
      description: `${ownAlertsOnly} A page with large texts can have fewer entries than \`limit\`. The \`Link\` header shows if more entries follow.`,
      tag,
      access: inWorkspace('alert_read'),
      params: workspaceParams,
      query: historyQuery({
        alert_rule_id: uuid,
        outcome: { type: 'string', enum: alertOutcomes },
        model_id: modelQuery,
        label: labelQuery,
      }),
      responses: { 200: listResponse('The alerts.', alertSchema) },
      problems: [503],
      isShareable: () => true,
      handler({ resource: { workspaceId }, principal, query }) {
        requireRecentSince(query, now().getTime());
        const visible = {
          workspaceId,
          filter: query,
          publishedBy: publisherOfVisible(principal, workspaceId),
        };
        const list = { path: pathIn(collection, workspaceId), query };
        return paging.historyPage(list, {
          read: (page) => searchLimiter.run(workspaceId, () => reader.list({ ...visible, ...page })),
          count: (range, max) =>
            searchLimiter.run(workspaceId, () => reader.count({ ...visible, range }, max)),
          idOf: ({ recordId }) => recordId,
          isBeyondBudget: ({ beyondBudget }) => beyondBudget,
          present: (alert) => present(alert),
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${collection}/{alert_id}`,
      operationId: 'getAlert',
      summary: 'Reads an alert.',
      description: `${ownAlertsOnly} Until a worker has processed an alert, the response is 404 with the code alert_not_processed and Retry-After.`,
      tag,
      access: inWorkspace('alert_read'),
      params: idParams('workspace_id', 'alert_id'),
      responses: { 200: { description: 'The alert.', schema: alertSchema } },
      problems: [404],
      async handler({ resource: { workspaceId }, principal, params }) {
        const alert = await reader.find(workspaceId, params.alert_id.toLowerCase());
        const publishedBy = publisherOfVisible(principal, workspaceId);
        const isVisible = publishedBy === undefined || alert?.publishedBy === publishedBy;
        if (alert === undefined || !isVisible) throw notProcessed();
        return { status: 200, body: present(alert) };
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${collection}/{alert_id}/dispatch`,
      operationId: 'dispatchAlert',
      summary: 'Creates deliveries for an alert that has none.',
      description:
        'For the outcomes over_quota, no_webhooks, rule_disabled and suppressed. The alert keeps its values. It is delivered to the current webhooks of its rule.',
      tag,
      access: inWorkspace('delivery_redeliver'),
      params: idParams('workspace_id', 'alert_id'),
      body: emptyBody,
      responses: {
        202: { description: 'The new deliveries, which are due now.', schema: alertDispatchedSchema },
      },
      problems: [404, 409],
      async handler({ resource: { workspaceId }, params, principal, log, ...request }) {
        const alertId = params.alert_id.toLowerCase();
        const made = await dispatch({ workspaceId, alertId, author: authorOf({ principal, ...request }) });
        log({ deliveries: made.length });
        const deliveries = made.map((delivery) => presentDelivery(delivery, { secretBox, principal }));
        return { status: 202, body: { alert_id: alertId, deliveries } };
      },
    }),
  ];
}

/**
 * Returns the id of the publisher whose alerts the caller may read, which is the caller itself. Returns undefined if
 * the caller may read all alerts.
 */
function publisherOfVisible(principal: Principal, workspaceId: string): string | undefined {
  const seesAll = hasPermission(principal, 'alert_read_all', workspaceId);
  return seesAll ? undefined : publisherId(principalId(principal));
}

/**
 * Returns the 404 error for an alert that is not stored or that the caller may not read. An alert that is not stored
 * can exist, because a published alert waits in the queue of alerts until a worker commits it.
 */
function notProcessed(): AppError {
  const detail = 'The alert is not processed yet, or unknown.';
  return new AppError('alert_not_processed', detail, { retryAfterSeconds: 1 });
}

function present(alert: StoredAlert): Alert {
  const { notice, ...facts } = factsOf(alert);
  return {
    ...facts,
    accepted_at: alert.acceptedAt.toISOString(),
    outcome: alert.outcome,
    outcome_reason: reasonOf(alert),
    suppressed_by:
      alert.suppressedBy === null ? null : { reason: alert.suppressedBy, alert_id: alert.suppressedByAlert },
    webhook_ids: alert.outcome === 'dispatched' ? null : alert.webhookIds,
    dispatched_at: alert.dispatchedAt?.toISOString() ?? null,
    dispatched_by: alert.dispatchedBy,
    summary: alert.summary,
  };
}

function reasonOf({ outcome, suppressedBy }: StoredAlert): string | null {
  if (outcome === 'dispatched') return null;
  if (outcome !== 'suppressed') return outcomeReasons[outcome];
  return suppressedBy === 'silence'
    ? 'The alert rule was silenced when the alert was accepted, so nothing was delivered.'
    : 'The alert came within the cooldown of its rule, so nothing was delivered.';
}

const outcomeReasons: Record<Exclude<AlertOutcome, 'dispatched' | 'suppressed'>, string> = {
  rule_disabled: 'The alert rule was disabled when the alert was accepted, so nothing was delivered.',
  rule_deleted: 'The alert rule was deleted before the alert was accepted, so nothing was delivered.',
  no_webhooks: 'The alert rule had no webhooks when the alert was accepted, so nothing was delivered.',
  over_quota:
    'The workspace had too many open deliveries when the alert was accepted, so nothing was delivered.',
};
