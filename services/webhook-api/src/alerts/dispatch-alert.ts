import { maxWebhookIds } from '@tocsin/contracts';
import { type AuditAuthor, type Database, highestId, lowestId, recordChanges } from '@tocsin/database';
import { dispatchAlerts, planDispatch } from '@tocsin/deliveries';
import { AppError } from '@tocsin/kit';
import { notFound } from '../api-route.js';
import { createDeliveriesReader, type StoredDelivery } from '../deliveries/deliveries-reader.js';
import type { OpenDeliveryQuota } from '../open-delivery-quota.js';

export interface DispatchAlert {
  workspaceId: string;
  alertId: string;
  author: AuditAuthor;
}

const anyTime = { from: lowestId, below: highestId };

/**
 * Creates a function that dispatches an alert by hand and returns its deliveries.
 * @throws AppError `not_found`; `conflict` if the alert has been dispatched, or if its rule is deleted, disabled or
 *   without webhooks now; `too_many_requests` if the workspace or a webhook has too many open deliveries
 */
export function createDispatchAlert({ database, quota }: { database: Database; quota: OpenDeliveryQuota }) {
  const deliveries = createDeliveriesReader(database);
  return async ({ workspaceId, alertId, author }: DispatchAlert): Promise<StoredDelivery[]> => {
    const plan = await planDispatch(database, { workspaceId, alertId });
    if (plan.kind === 'not_found') throw notFound('alert');
    if (plan.kind === 'conflict') throw new AppError('conflict', plan.reason);
    const opened = plan.webhooks.filter(({ exists }) => exists).map(({ webhookId }) => webhookId);
    await quota.requireCapacity(workspaceId, opened);
    await database.knex.transaction(async (trx) => {
      if ((await dispatchAlerts(trx, [plan], author.principal)).length === 0)
        throw new AppError('conflict', 'This alert has been dispatched already.');
      await recordChanges(trx, author, [{ workspaceId, action: 'alert.dispatched', resourceId: alertId }]);
    });
    const filter = { alert_id: alertId };
    return deliveries.list({ workspaceId, range: anyTime, filter, limit: maxWebhookIds });
  };
}
