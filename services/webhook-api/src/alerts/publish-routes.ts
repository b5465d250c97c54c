import {
  alertAcceptedSchema,
  type PublishAlert,
  publishAlertBatchSchema,
  publishAlertSchema,
  publishedAlertsSchema,
} from '@tocsin/contracts';
import { publisherId } from '@tocsin/deliveries';
import { defineRoute, type Principal, principalId } from '@tocsin/identity';
import { AppError, type CheckedItem, type Route, toProblem } from '@tocsin/kit';
import { type ApiDeps, apiPrefix, inWorkspace, pathIn, workspaceParams } from '../api-route.js';
import { publishAlertOperation, publishBatchOperation } from '../rate-limits.js';
import { createPublishAlert } from './publish-alert.js';
import { createRulesReader } from './rules-reader.js';

const collection = `${apiPrefix}/workspaces/{workspace_id}/alerts`;
const tag = 'alerts';

export function publishRoutes({
  config,
  database,
  publisher,
  quota,
  secretBox,
  admitBatch,
  now,
}: ApiDeps): Route<Principal>[] {
  const reader = createRulesReader(database);
  const alerts = createPublishAlert({ reader, publisher, quota, secretBox, now });
  const idOf = (principal: Principal) => publisherId(principalId(principal));
  return [
    defineRoute({
      method: 'POST',
      path: collection,
      operationId: publishAlertOperation,
      summary: 'Publishes an alert and responds when the broker has confirmed it.',
      description: 'Two requests with one alert_id are one alert, so a request is safe to repeat.',
      tag,
      access: inWorkspace('workspace_publish_alert'),
      params: workspaceParams,
      body: publishAlertSchema,
      furtherErrors: (body, { workspaceId }) => alerts.errorsOf(workspaceId, body),
      responses: {
        202: {
          description: 'The broker has confirmed the alert.',
          schema: alertAcceptedSchema,
          headers: { Location: 'URL of the alert, which can be read a moment later.' },
        },
      },
      problems: [503],
      async handler({ resource: { workspaceId }, principal, body, log, ...request }) {
        const { requestId, traceparent } = request;
        const from = { workspaceId, requestId, traceparent, publisherId: idOf(principal) };
        const alertId = await alerts.publish({ ...from, body });
        log({ alert_id: alertId });
        const headers = { Location: `${config.publicUrl}${pathIn(collection, workspaceId)}/${alertId}` };
        return { status: 202, headers, body: { alert_id: alertId } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${collection}/batch`,
      operationId: publishBatchOperation,
      summary: 'Publishes up to 500 alerts independently.',
      description:
        'Responds when the broker has confirmed or rejected all of them. An entry is the problem document of an alert that was not published: 422 for an invalid one, 503 for one that the broker did not confirm, which is safe to repeat with its alert_id. Each alert counts in the rate limits; above them the response is 429 and no alert is published.',
      tag,
      access: inWorkspace('workspace_publish_alert'),
      params: workspaceParams,
      body: publishAlertBatchSchema,
      responses: {
        200: {
          description: 'The outcome of each alert.',
          schema: publishedAlertsSchema,
        },
      },
      problems: [503],
      async handler({ resource: { workspaceId }, principal, body, requestId, traceparent, log }) {
        const items = body as CheckedItem<PublishAlert>[];
        admitBatch({ principal, workspaceId, alerts: items.length });
        const from = { workspaceId, requestId, traceparent, publisherId: idOf(principal) };
        const results = await alerts.publishBatch({ ...from, items });
        const published = results.filter((result) => typeof result === 'string').length;
        log({ alerts: items.length, published });
        return { status: 200, body: results.map((result) => entryOf(result, requestId)) };
      },
    }),
  ];
}

function entryOf(result: string | AppError, requestId: string): object {
  return result instanceof AppError ? toProblem(result, requestId).body : { alert_id: result, status: 202 };
}
