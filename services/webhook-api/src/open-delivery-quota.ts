import type { Database } from '@tocsin/database';
import {
  createOpenDeliveryCounts,
  type OpenDeliveriesKey,
  type OpenDeliveryLimits,
  type WebhookInWorkspace,
} from '@tocsin/deliveries';
import { AppError, createSingleFlight, type Metrics } from '@tocsin/kit';

/** Refuses requests that would open deliveries above the limit of their workspace or webhook. */
export interface OpenDeliveryQuota {
  /** @throws AppError `too_many_requests` with `Retry-After` */
  requireRoom(workspaceId: string, webhookIds?: string[]): Promise<void>;
}

/** A full workspace ends at least 2,000 deliveries a second, so a further alert has room again after seconds. */
const retryAfterSeconds = 10;

export function createOpenDeliveryQuota(
  database: Database,
  limits: OpenDeliveryLimits,
  metrics: Metrics,
): OpenDeliveryQuota {
  const counts = createOpenDeliveryCounts(database, limits);
  // Many alerts of one workspace arrive at a time, and a count of a million rows takes a third of a second.
  const refreshes = createSingleFlight<void>();
  const refused = metrics.counter(
    'tocsin_over_quota_total',
    'Requests refused by a limit on open deliveries.',
    ['limit'],
  );
  for (const limit of ['workspace', 'webhook']) refused.inc({ limit }, 0);
  const refuse = (limit: 'workspace' | 'webhook') => {
    refused.inc({ limit });
    const detail = `The ${limit} has too many open deliveries; try again when some of them have ended.`;
    return new AppError('too_many_requests', detail, { retryAfterSeconds });
  };
  return {
    async requireRoom(workspaceId, webhookIds = []) {
      const webhooks: WebhookInWorkspace[] = webhookIds.map((webhookId) => ({ workspaceId, webhookId }));
      const keys: OpenDeliveriesKey[] = webhooks.length > 0 ? webhooks : [{ workspaceId }];
      await refreshes.run(JSON.stringify(keys), () => counts.refresh(keys));
      if (counts.workspaceFill(workspaceId) >= 1) throw refuse('workspace');
      if (webhooks.some((webhook) => counts.webhookFill(webhook) >= 1)) throw refuse('webhook');
    },
  };
}
