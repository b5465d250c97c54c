import type { Database } from '@tocsin/database';
import {
  createOpenDeliveryCounts,
  type OpenDeliveriesKey,
  type OpenDeliveryLimits,
  type WebhookInWorkspace,
} from '@tocsin/deliveries';
import { AppError, createSingleFlight, type Metrics } from '@tocsin/kit';

/** Rejects requests that would open more deliveries than their workspace or webhook may have. */
export interface OpenDeliveryQuota {
  /**
   * Requires that the workspace, and each given webhook, is below its limit.
   * @throws AppError `too_many_requests` with `Retry-After`
   */
  requireCapacity(workspaceId: string, webhookIds?: string[]): Promise<void>;
}

/**
 * Time after which a rejected publisher should retry, in seconds. If the destinations of a workspace respond, thousands
 * of its deliveries end in a second, so the workspace is soon below its limit again.
 */
const retryAfterSeconds = 10;

export function createOpenDeliveryQuota(
  database: Database,
  limits: OpenDeliveryLimits,
  metrics: Metrics,
): OpenDeliveryQuota {
  const counts = createOpenDeliveryCounts(database, limits);
  // Concurrent requests for the same counts share one refresh, because counting a million rows takes a third of a
  // second.
  const refreshes = createSingleFlight<void>();
  const rejections = metrics.counter(
    'tocsin_over_quota_requests_total',
    'Requests rejected because of a limit on open deliveries.',
    ['limit'],
  );
  for (const limit of ['workspace', 'webhook']) rejections.inc({ limit }, 0);
  const rejection = (limit: 'workspace' | 'webhook') => {
    rejections.inc({ limit });
    const detail = `The ${limit} has too many open deliveries; try again when some of them have ended.`;
    return new AppError('too_many_requests', detail, { retryAfterSeconds });
  };
  return {
    async requireCapacity(workspaceId, webhookIds = []) {
      const webhooks: WebhookInWorkspace[] = webhookIds.map((webhookId) => ({ workspaceId, webhookId }));
      const keys: OpenDeliveriesKey[] = webhooks.length > 0 ? webhooks : [{ workspaceId }];
      await refreshes.run(JSON.stringify(keys), () => counts.refresh(keys));
      if (counts.workspaceFill(workspaceId) >= 1) throw rejection('workspace');
      if (webhooks.some((webhook) => counts.webhookFill(webhook) >= 1)) throw rejection('webhook');
    },
  };
}
