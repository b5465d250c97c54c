import { useMutation, useQuery } from '@tanstack/react-query';
import type { AlertRule, CreateAlertRule, PatchAlertRule, PublishAlert } from '@tocsin/client/browser';
import { useWorkspaceId } from '../paths.js';
import { asConflict, changeEdited, changeRead, idsAfter } from './change-read.js';
import { useClient } from './client.js';
import { haveEnded } from './ended-deliveries.js';
import { usePermission } from './permitted.js';
import { useWorkspaceCache, useWorkspaceQuery } from './workspace-query.js';

export function useAlertRule(id: string) {
  return useWorkspaceQuery({
    permission: 'alert_rule_read',
    key: ['alert-rule', id],
    fetch: (client, options) => client.alertRules.get(id, options),
  });
}

export interface AlertRuleUpdate {
  id: string;
  changes: PatchAlertRule;
  /** ETag of the version that was edited. If the server has another version, `ChangedMeanwhileError` is thrown. */
  seen?: string | undefined;
}

export interface Attachment {
  ruleId: string;
  webhookId: string;
  attach: boolean;
}

/**
 * Mutations of alert rules. After each mutation, the list of rules is fetched again. Unless the rule was deleted, the
 * rule in the response, or the current rule after a conflict, also replaces the cached rule.
 */
export function useAlertRuleActions() {
  const client = useClient();
  const cache = useWorkspaceCache();
  const onSuccess = cache.replaceSaved('alert-rule', 'alert-rules');
  return {
    create: useMutation({ mutationFn: (rule: CreateAlertRule) => client.alertRules.create(rule), onSuccess }),
    update: useMutation({
      mutationFn: ({ id, changes, seen }: AlertRuleUpdate) =>
        changeEdited(
          'alert rule',
          () => client.alertRules.update(id, changes, { ifMatch: seen }),
          () => client.alertRules.get(id),
        ),
      onSuccess,
      onError(error) {
        const conflict = asConflict<AlertRule>(error);
        return conflict && onSuccess(conflict.current);
      },
    }),
    /**
     * Attaches or detaches one webhook. The rule is read directly before the change and written with `If-Match`, so
     * that webhooks that other users attach at the same time stay attached.
     */
    attach: useMutation({
      mutationFn: ({ ruleId, webhookId, attach }: Attachment) =>
        changeRead(
          () => client.alertRules.get(ruleId),
          ({ notification_webhook_ids: ids }, options) => {
            const changes = { notification_webhook_ids: idsAfter(ids, { id: webhookId, attach }) };
            return client.alertRules.update(ruleId, changes, options);
          },
        ),
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: (id: string) => client.alertRules.delete(id),
      onSuccess: () => cache.invalidate(['alert-rules']),
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
 * Number of polls at intervals of 1 s. Later polls have intervals of 10 s, because deliveries that are still open then
 * probably wait for a retry.
 */
const frequentPolls = 30;

/**
 * Fetches a published alert, and then polls its deliveries until all of them have ended. The API does not find the
 * alert before a worker has accepted it, so a failed request is repeated up to 20 times, every 500 ms.
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
      if (haveEnded(state.data)) return false;
      return state.dataUpdateCount < frequentPolls ? 1_000 : 10_000;
    },
  });
  return { alert, deliveries };
}

/** Fetches the latest 20 alerts. Their values can be used in a preview. */
export function usePastAlerts() {
  return useWorkspaceQuery({
    permission: 'alert_read',
    key: ['past-alerts'],
    fetch: async (client, options) => (await client.alerts.list({ limit: 20 }, options).firstPage()).items,
    staleTime: 60_000,
  });
}
