import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AlertRule, CreateAlertRule, PatchAlertRule, PublishAlert } from '@tocsin/client/browser';
import { useWorkspaceId } from '../paths.js';
import { changeRead } from './change-read.js';
import { useClient } from './client.js';
import { firstPage } from './live-list.js';
import { usePermission } from './permitted.js';

export function useAlertRule(id: string) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const { allowed } = usePermission('alert_rule_read');
  return useQuery({
    queryKey: [workspaceId, 'alert-rule', id],
    queryFn: ({ signal }) => client.alertRules.get(id, { signal }),
    enabled: allowed,
  });
}

export interface Attachment {
  ruleId: string;
  webhookId: string;
  attach: boolean;
}

/**
 * Mutations of alert rules. After each one, the list is fetched again. The saved rule of the response replaces the
 * cached rule.
 */
export function useAlertRuleActions() {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const queryClient = useQueryClient();
  const onSuccess = (saved: AlertRule) => {
    queryClient.setQueryData([workspaceId, 'alert-rule', saved.id], saved);
    return queryClient.invalidateQueries({ queryKey: [workspaceId, 'alert-rules'] });
  };
  return {
    create: useMutation({ mutationFn: (rule: CreateAlertRule) => client.alertRules.create(rule), onSuccess }),
    update: useMutation({
      mutationFn: ({ id, changes }: { id: string; changes: PatchAlertRule }) =>
        client.alertRules.update(id, changes),
      onSuccess,
    }),
    /**
     * Attaches or detaches one webhook. The rule is read directly before the change, so that webhooks that other users
     * attach at the same time stay attached.
     */
    attach: useMutation({
      mutationFn: ({ ruleId, webhookId, attach }: Attachment) =>
        changeRead(
          () => client.alertRules.get(ruleId),
          ({ notification_webhook_ids: ids }, options) => {
            const others = ids.filter((id) => id !== webhookId);
            const changes = { notification_webhook_ids: attach ? [...others, webhookId] : others };
            return client.alertRules.update(ruleId, changes, options);
          },
        ),
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: (id: string) => client.alertRules.delete(id),
      onSuccess: () => queryClient.invalidateQueries({ queryKey: [workspaceId, 'alert-rules'] }),
    }),
  };
}

/** Publishes an alert that is marked as a test. */
export function useFireTestAlert() {
  const client = useClient();
  return useMutation({
    mutationFn: (alert: PublishAlert) => client.alerts.fire({ ...alert, is_test: true }),
  });
}

/**
 * Number of polls at intervals of 1 s. Later polls have intervals of 10 s, because the remaining deliveries probably
 * wait for a retry.
 */
const frequentPolls = 30;

const endStates: ReadonlySet<string> = new Set(['succeeded', 'failed', 'skipped']);

/**
 * Polls a published alert until a worker has accepted it, with at most 20 retries, and its deliveries until they have
 * ended.
 */
export function useFiredAlert(alertId: string) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const canReadDeliveries = usePermission('delivery_read').allowed;
  const alert = useQuery({
    queryKey: [workspaceId, 'alert', alertId],
    queryFn: ({ signal }) => client.alerts.get(alertId, { signal }),
    retry: 20,
    retryDelay: 500,
  });
  const deliveries = useQuery({
    queryKey: [workspaceId, 'deliveries', 'of-fired', alertId],
    queryFn: ({ signal }) => client.deliveries.list({ alert_id: alertId }, { signal }).toArray(),
    enabled: canReadDeliveries && alert.data?.outcome === 'dispatched',
    refetchInterval: ({ state }) => {
      const items = state.data ?? [];
      if (items.length > 0 && items.every(({ status }) => endStates.has(status))) return false;
      return state.dataUpdateCount < frequentPolls ? 1_000 : 10_000;
    },
  });
  return { alert, deliveries };
}

/** Fetches the latest 20 alerts. Their values can be used in a preview. */
export function usePastAlerts() {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const { allowed } = usePermission('alert_read');
  return useQuery({
    queryKey: [workspaceId, 'past-alerts'],
    queryFn: ({ signal }) => firstPage(client.alerts.list({ limit: 20 }, { signal })),
    enabled: allowed,
    staleTime: 60_000,
  });
}
