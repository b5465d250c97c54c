import { deliverySchema, deliveryStatuses, deliveryWithAttemptsSchema, uuid } from '@tocsin/contracts';
import { recordChanges } from '@tocsin/database';
import { cancelDelivery, redeliver } from '@tocsin/deliveries';
import { defineRoute, type Principal } from '@tocsin/identity';
import { AppError, type Route } from '@tocsin/kit';
import {
  type ApiDeps,
  apiPrefix,
  emptyBody,
  idParams,
  inWorkspace,
  loaderOf,
  notFound,
  ofResource,
  pathIn,
  workspaceParams,
} from '../api-route.js';
import { authorOf } from '../change.js';
import { historyQuery, listResponse } from '../lists/paging.js';
import { errorCodeQuery, labelQuery, modelQuery, requireRecentSince } from '../lists/search-query.js';
import { createAttemptsReader } from './attempts-reader.js';
import { createDeliveriesReader } from './deliveries-reader.js';
import { isOpenStatus } from './delivery-status.js';
import { decodeWithinBudget, presentAttempt, presentDelivery } from './present-delivery.js';

const collection = `${apiPrefix}/workspaces/{workspace_id}/deliveries`;
const single = `${apiPrefix}/deliveries/{delivery_id}`;
const params = idParams('delivery_id');
const tag = 'deliveries';

export function deliveryRoutes({
  database,
  paging,
  searchLimiter,
  quota,
  secretBox,
  now,
}: ApiDeps): Route<Principal>[] {
  const deliveries = createDeliveriesReader(database);
  const attempts = createAttemptsReader(database);
  const load = loaderOf('delivery_id', 'delivery', deliveries.find);
  const action = {
    method: 'POST',
    tag,
    access: ofResource('delivery_redeliver', load),
    params,
    body: emptyBody,
    problems: [404, 409],
  } as const;
  return [
    defineRoute({
      method: 'GET',
      path: collection,
      operationId: 'listDeliveries',
      summary: 'Lists the deliveries of a workspace, newest first.',
      description:
        'A page with large texts can have fewer entries than `limit`. The `Link` header shows if more entries follow.',
      tag,
      access: inWorkspace('delivery_read'),
      params: workspaceParams,
      query: historyQuery({
        webhook_id: uuid,
        alert_id: uuid,
        alert_rule_id: uuid,
        status: { type: 'string', enum: deliveryStatuses },
        status_code: {
          type: 'integer',
          minimum: 100,
          maximum: 999,
          description: 'Status code of the response to the last attempt.',
        },
        error_code: errorCodeQuery,
        model_id: modelQuery,
        label: labelQuery,
      }),
      responses: { 200: listResponse('The deliveries.', deliverySchema) },
      problems: [503],
      isShareable: () => true,
      handler({ resource: { workspaceId }, query, principal }) {
        requireRecentSince(query, now().getTime());
        return paging.historyPage(
          { path: pathIn(collection, workspaceId), query },
          {
            async read(page) {
              const found = await searchLimiter.run(workspaceId, () =>
                deliveries.list({ workspaceId, filter: query, ...page }),
              );
              return decodeWithinBudget(found, secretBox, (delivery) => delivery);
            },
            count: (range, max) =>
              searchLimiter.run(workspaceId, () =>
                deliveries.count({ workspaceId, filter: query, range }, max),
              ),
            idOf: ({ id }) => id,
            isBeyondBudget: ({ beyondBudget }) => beyondBudget,
            present: (delivery) => presentDelivery(delivery, { secretBox, principal }),
          },
        );
      },
    }),
    defineRoute({
      method: 'GET',
      path: single,
      operationId: 'getDelivery',
      summary: 'Reads a delivery with its attempts.',
      tag,
      access: ofResource('delivery_read', load),
      params,
      responses: { 200: { description: 'The delivery.', schema: deliveryWithAttemptsSchema } },
      problems: [404],
      async handler({ resource, principal }) {
        const reader = { secretBox, principal };
        const newestFirst = decodeWithinBudget(await attempts.list(resource.id), secretBox, () => resource);
        const shown = newestFirst.filter(({ beyondBudget }) => !beyondBudget).reverse();
        const body = {
          ...presentDelivery(resource, reader),
          attempts: shown.map((attempt) => presentAttempt(attempt, { delivery: resource, principal })),
        };
        return { status: 200, body };
      },
    }),
    defineRoute({
      path: `${single}/redeliver`,
      operationId: 'redeliver',
      summary: 'Starts another run of an ended delivery, or the next attempt of a waiting one.',
      ...action,
      responses: { 202: { description: 'The delivery, which is open again.', schema: deliverySchema } },
      async handler({ resource: { id, workspaceId, webhookId, status }, principal, log, ...request }) {
        // The quota is not checked for an open delivery, because redelivering it adds no open delivery.
        if (!isOpenStatus(status)) await quota.requireCapacity(workspaceId, [webhookId]);
        const author = authorOf({ principal, ...request });
        const outcome = await redeliver(database, id, (trx) =>
          recordChanges(trx, author, [{ workspaceId, action: 'delivery.redelivered', resourceId: id }]),
        );
        log({ outcome });
        if (outcome === 'not_found') throw notFound('delivery');
        if (outcome === 'sending')
          throw new AppError('conflict', 'This delivery is being sent; try again when it has ended.');
        const delivery = await load({ delivery_id: id });
        return { status: 202, body: presentDelivery(delivery, { secretBox, principal }) };
      },
    }),
    defineRoute({
      path: `${single}/cancel`,
      operationId: 'cancelDelivery',
      summary: 'Ends an open delivery as skipped, with the error code cancelled.',
      ...action,
      responses: { 202: { description: 'The delivery, which has ended.', schema: deliverySchema } },
      async handler({ resource: { id, workspaceId }, principal, ...request }) {
        const author = authorOf({ principal, ...request });
        const outcome = await cancelDelivery(database, id, (trx) =>
          recordChanges(trx, author, [{ workspaceId, action: 'delivery.cancelled', resourceId: id }]),
        );
        if (outcome !== 'cancelled') throw new AppError('conflict', notCancelled[outcome]);
        const delivery = await load({ delivery_id: id });
        return { status: 202, body: presentDelivery(delivery, { secretBox, principal }) };
      },
    }),
  ];
}

const notCancelled = {
  sending: 'This delivery is being sent; try again when the attempt has ended.',
  ended: 'This delivery has ended already.',
} as const;
