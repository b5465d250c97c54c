import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Delivery, ListDeliveriesQuery } from '@tocsin/client/browser';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import { refreshLists, useLiveList } from './live-list.js';

export type DeliveryFilter = Omit<ListDeliveriesQuery, 'limit'>;

const endStates: ReadonlySet<string> = new Set(['succeeded', 'failed', 'skipped']);

/** A delivery without its texts, which can be long. */
export type DeliveryRow = Pick<
  Delivery,
  'id' | 'webhook_name' | 'destination' | 'status' | 'attempts_made' | 'created_at' | 'error_code'
> & { statusCode: number | null };

export function useDeliveries(filter: DeliveryFilter) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  return useLiveList({
    queryKey: [workspaceId, 'deliveries', filter],
    list: (part, signal) => client.deliveries.list({ ...filter, ...part }, { signal }),
    toItem: toRow,
    idOf: ({ id }) => id,
    timeOf: ({ created_at }) => created_at,
    isOpen: ({ status }) => !endStates.has(status),
  });
}

function toRow(delivery: Delivery): DeliveryRow {
  const { id, webhook_name, destination, status, attempts_made, created_at, error_code, response } = delivery;
  const statusCode = response?.status_code ?? null;
  return { id, webhook_name, destination, status, attempts_made, created_at, error_code, statusCode };
}

/** Deliveries of one alert: one for each webhook, at most 20. */
export function useDeliveriesOfAlert(alertId: string) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  return useQuery({
    queryKey: [workspaceId, 'deliveries', 'of-alert', alertId],
    queryFn: ({ signal }) => client.deliveries.list({ alert_id: alertId }, { signal }).toArray(),
    refetchInterval: 5_000,
  });
}

/** A delivery with its attempts, polled until it has ended. */
export function useDelivery(id: string) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  return useQuery({
    queryKey: [workspaceId, 'delivery', id],
    queryFn: ({ signal }) => client.deliveries.get(id, { signal }),
    refetchInterval: ({ state }) => (endStates.has(state.data?.status ?? '') ? false : 2_000),
  });
}

export function useRedeliver(id: string) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => client.deliveries.redeliver(id),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: [workspaceId, 'delivery', id] }),
        refreshLists(queryClient, [workspaceId, 'deliveries']),
      ]),
  });
}
