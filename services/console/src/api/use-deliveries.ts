import { useMutation, useQuery } from '@tanstack/react-query';
import { type Delivery, type ListDeliveriesQuery, NotFoundError } from '@tocsin/client/browser';
import { isEndedStatus } from '@tocsin/contracts/browser';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import { haveEnded } from './ended-deliveries.js';
import { useWorkspaceCache, useWorkspaceList, useWorkspaceQuery } from './workspace-query.js';

export type DeliveryFilter = Omit<ListDeliveriesQuery, 'limit'>;

/**
 * The members of a delivery that a table row shows. Request and response bodies are left out, because they can be long.
 */
export type DeliveryRow = Pick<
  Delivery,
  'id' | 'webhook_name' | 'destination' | 'status' | 'attempts_made' | 'created_at' | 'error_code'
> & { statusCode: number | null };

export function useDeliveries(filter: DeliveryFilter, { pollMs }: { pollMs?: number } = {}) {
  return useWorkspaceList({
    name: 'deliveries',
    filter,
    list: (client, query, options) => client.deliveries.list(query, options),
    toItem: toRow,
    idOf: ({ id }) => id,
    timeOf: ({ created_at }) => created_at,
    isOpen: ({ status }) => !isEndedStatus(status),
    ...(pollMs !== undefined && { pollMs }),
  });
}

/**
 * Returns true if at least one delivery matches the filter, and false until the response has arrived. If `enabled` is
 * false, sends no request and returns false.
 */
export function useAnyDelivery(filter: DeliveryFilter, { enabled }: { enabled: boolean }): boolean {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const { data = false } = useQuery({
    queryKey: [workspaceId, 'deliveries', 'any', filter],
    queryFn: async ({ signal }) => {
      const { items } = await client.deliveries.list({ ...filter, limit: 1 }, { signal }).firstPage();
      return items.length > 0;
    },
    enabled,
  });
  return enabled && data;
}

function toRow(delivery: Delivery): DeliveryRow {
  const { id, webhook_name, destination, status, attempts_made, created_at, error_code, response } = delivery;
  const statusCode = response?.status_code ?? null;
  return { id, webhook_name, destination, status, attempts_made, created_at, error_code, statusCode };
}

/** Fetches the deliveries of one alert. An alert has one delivery for each webhook, at most 20. */
export function useDeliveriesOfAlert(alertId: string) {
  return useWorkspaceQuery({
    permission: 'delivery_read',
    key: ['deliveries', 'of-alert', alertId],
    fetch: (client, options) => client.deliveries.list({ alert_id: alertId }, options).toArray(),
    refetchInterval: ({ state }) => (haveEnded(state.data) ? 30_000 : 5_000),
  });
}

/** Fetches a delivery with its attempts, and polls it until it has ended or does not exist. */
export function useDelivery(id: string) {
  return useWorkspaceQuery({
    permission: 'delivery_read',
    key: ['delivery', id],
    fetch: (client, options) => client.deliveries.get(id, options),
    refetchInterval: ({ state }) => (state.error instanceof NotFoundError ? false : pollMsOf(state.data)),
  });
}

/**
 * Returns the interval of polls in milliseconds: 10 s for a delivery that is due in more than 20 s, and 2 s for any
 * other open delivery or before the delivery is loaded. Returns false for a delivery that has ended.
 */
function pollMsOf(delivery: Delivery | undefined): number | false {
  if (delivery === undefined) return 2_000;
  if (isEndedStatus(delivery.status)) return false;
  const dueInMs = Date.parse(delivery.next_attempt_at ?? '') - Date.now();
  return dueInMs > 20_000 ? 10_000 : 2_000;
}

/** Mutations that redeliver or cancel a delivery. */
export function useDeliveryActions(id: string) {
  const client = useClient();
  const cache = useWorkspaceCache();
  const onSettled = () =>
    Promise.all([cache.invalidate(['delivery', id]), cache.refreshLists(['deliveries'])]);
  return {
    redeliver: useMutation({ mutationFn: () => client.deliveries.redeliver(id), onSettled }),
    cancel: useMutation({ mutationFn: () => client.deliveries.cancel(id), onSettled }),
  };
}
