import { deliverySchema, deliveryStatuses, deliveryWithAttemptsSchema } from '@tocsin/contracts';
import type { SecretBox } from '@tocsin/database';
import type { RedeliverOutcome } from '@tocsin/deliveries';
import { defineRoute, hasPermission, type Permission, type Principal } from '@tocsin/identity';
import { AppError, type Route } from '@tocsin/kit';
import { apiPrefix, inWorkspace, pathIn, workspaceParams } from '../api-route.js';
import { listResponse, type Paging, pageQuery } from '../lists/paging.js';
import type { Searches } from '../lists/searches.js';
import { idRange, timeRangeQuery } from '../lists/time-range.js';
import type { AttemptsReader } from './attempts-reader.js';
import type { DeliveriesReader, StoredDelivery } from './deliveries-reader.js';
import { presentAttempt, presentDelivery } from './present-delivery.js';

export interface DeliveryRoutesDeps {
  deliveries: DeliveriesReader;
  attempts: AttemptsReader;
  searches: Searches;
  redeliver: (deliveryId: string) => Promise<RedeliverOutcome>;
  secretBox: SecretBox;
  paging: Paging;
}

const collection = `${apiPrefix}/workspaces/{workspace_id}/deliveries`;
const single = `${apiPrefix}/deliveries/{delivery_id}`;
const tag = 'deliveries';

const uuid = { type: 'string', format: 'uuid' } as const;
const deliveryParams = {
  type: 'object',
  additionalProperties: false,
  properties: { delivery_id: uuid },
  required: ['delivery_id'],
} as const;

/** Listing and reading deliveries, and sending one again. */
export function deliveryRoutes(deps: DeliveryRoutesDeps): Route<Principal>[] {
  return [listRoute(deps), readRoute(deps), redeliverRoute(deps)];
}

function listRoute({ deliveries, searches, paging }: DeliveryRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'GET',
    path: collection,
    operationId: 'listDeliveries',
    summary: 'Lists the deliveries of a workspace, newest first.',
    description:
      'A page ends early where the answers in it are large; the `Link` header tells whether more follow.',
    tag,
    access: inWorkspace('delivery_read'),
    params: workspaceParams,
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        webhook_id: uuid,
        alert_id: uuid,
        alert_rule_id: uuid,
        status: { type: 'string', enum: deliveryStatuses },
        status_code: { type: 'integer', minimum: 100, maximum: 999, description: 'Of the last answer.' },
        ...timeRangeQuery,
        ...pageQuery,
      },
    },
    responses: { 200: listResponse('The deliveries.', deliverySchema) },
    problems: [503],
    async handler({ resource: { workspaceId }, query }) {
      const list = { path: pathIn(collection, workspaceId), query };
      const { limit: wanted = 50 } = query;
      const range = idRange(query, paging.positionOf(list));
      const found = await searches.run(workspaceId, () =>
        deliveries.list({ workspaceId, range, filter: query, limit: wanted + 1 }),
      );
      const limit = Math.min(wanted, found.filter((delivery) => !delivery.beyondBudget).length);
      const keyOf = (delivery: StoredDelivery) => [delivery.id];
      const { rows, headers } = paging.page(list, found, { limit, keyOf });
      return { status: 200, headers, body: rows.map(presentDelivery) };
    },
  });
}

function readRoute({ deliveries, attempts, secretBox }: DeliveryRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'GET',
    path: single,
    operationId: 'getDelivery',
    summary: 'Reads a delivery with its attempts.',
    tag,
    access: toDelivery('delivery_read', deliveries),
    params: deliveryParams,
    responses: {
      200: { description: 'The delivery.', schema: deliveryWithAttemptsSchema },
    },
    problems: [404],
    async handler({ resource, principal }) {
      const showSecrets = hasPermission(principal, 'webhook_update', resource.workspaceId);
      const made = await attempts.list(resource.id);
      const shown = made.map((attempt) => presentAttempt(attempt, { secretBox, showSecrets }));
      return { status: 200, body: { ...presentDelivery(resource), attempts: shown } };
    },
  });
}

function redeliverRoute({ deliveries, redeliver }: DeliveryRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'POST',
    path: `${single}/redeliver`,
    operationId: 'redeliver',
    summary: 'Sends a delivery again, or the next attempt of a waiting one now.',
    tag,
    access: toDelivery('delivery_redeliver', deliveries),
    params: deliveryParams,
    body: { type: 'object', additionalProperties: false },
    responses: { 202: { description: 'The delivery, on its way.', schema: deliverySchema } },
    problems: [404, 409],
    async handler({ resource: { id }, log }) {
      const outcome = await redeliver(id);
      log({ delivery_id: id, outcome });
      if (outcome === 'not_found') throw deliveryNotFound();
      if (outcome === 'sending')
        throw new AppError('conflict', 'This delivery is being sent just now; ask again once it has ended.');
      return { status: 202, body: presentDelivery(await findDelivery(deliveries, id)) };
    },
  });
}

function toDelivery<const P extends Permission>(permission: P, deliveries: DeliveriesReader) {
  return {
    permission,
    async locate({ delivery_id }: { delivery_id: string }) {
      const resource = await findDelivery(deliveries, delivery_id);
      return { workspaceId: resource.workspaceId, resource };
    },
  };
}

async function findDelivery(deliveries: DeliveriesReader, id: string): Promise<StoredDelivery> {
  const delivery = await deliveries.find(id);
  if (delivery === undefined) throw deliveryNotFound();
  return delivery;
}

function deliveryNotFound(): AppError {
  return new AppError('not_found', 'There is no delivery with this id.');
}
