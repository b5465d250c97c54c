import { useMutation } from '@tanstack/react-query';
import type { ListAlertsQuery } from '@tocsin/client/browser';
import { useClient } from './client.js';
import { useWorkspaceCache, useWorkspaceList, useWorkspaceQuery } from './workspace-query.js';

export type AlertFilter = Omit<ListAlertsQuery, 'limit'>;

export function useAlerts(filter: AlertFilter) {
  return useWorkspaceList({
    name: 'alerts',
    filter,
    list: (client, query, options) => client.alerts.list(query, options),
    toItem: (alert) => alert,
    idOf: ({ alert_id }) => alert_id,
    timeOf: ({ accepted_at }) => accepted_at,
    isOpen: ({ summary }) => summary.open > 0,
    pollMs: 10_000,
  });
}

export function useAlert(id: string) {
  return useWorkspaceQuery({
    permission: 'alert_read',
    key: ['alert', id],
    fetch: (client, options) => client.alerts.get(id, options),
  });
}

/** Mutation for the dispatch by hand of an alert that has no deliveries. */
export function useDispatchAlert(id: string) {
  const client = useClient();
  const cache = useWorkspaceCache();
  return useMutation({
    mutationFn: () => client.alerts.dispatch(id),
    onSettled: () =>
      Promise.all([
        cache.invalidate(['alert', id]),
        cache.refreshLists(['alerts']),
        cache.refreshLists(['deliveries']),
      ]),
  });
}
