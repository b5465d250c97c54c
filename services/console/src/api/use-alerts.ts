import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ListAlertsQuery } from '@tocsin/client/browser';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import { useLiveList } from './live-list.js';
import { usePermission } from './permitted.js';

export type AlertFilter = Omit<ListAlertsQuery, 'limit'>;

export function useAlerts(filter: AlertFilter) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  return useLiveList({
    queryKey: [workspaceId, 'alerts', filter],
    list: (part, options) => client.alerts.list({ ...filter, ...part }, options),
    since: filter.since,
    toItem: (alert) => alert,
    idOf: ({ alert_id }) => alert_id,
    timeOf: ({ accepted_at }) => accepted_at,
    isOpen: ({ summary }) => summary.open > 0,
    pollMs: 10_000,
  });
}

export function useAlert(id: string) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const { allowed } = usePermission('alert_read');
  return useQuery({
    queryKey: [workspaceId, 'alert', id],
    queryFn: ({ signal }) => client.alerts.get(id, { signal }),
    enabled: allowed,
  });
}

/** Dispatches an alert that has no deliveries. */
export function useDispatchAlert(id: string) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => client.alerts.dispatch(id),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: [workspaceId, 'alert', id] }),
        queryClient.invalidateQueries({ queryKey: [workspaceId, 'deliveries', 'of-alert', id] }),
      ]),
  });
}
