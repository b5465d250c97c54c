import { type Database, firstIdAt } from '@tocsin/database';
import { type DispatchRequest, dispatchAlert } from '@tocsin/deliveries';
import { AppError } from '@tocsin/kit';
import { notFound } from '../api-route.js';
import { createDeliveriesReader, type StoredDelivery } from '../deliveries/deliveries-reader.js';

/** Largest number of webhooks of an alert. */
const maxDeliveries = 20;
const always = { from: firstIdAt(0), below: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/**
 * Dispatches an alert by hand and returns its deliveries.
 * @throws AppError `not_found`; `conflict` for an alert that has deliveries, or whose rule calls no webhook now
 */
export function createDispatchAlert({ database }: { database: Database }) {
  const deliveries = createDeliveriesReader(database);
  return async (request: DispatchRequest): Promise<StoredDelivery[]> => {
    const outcome = await dispatchAlert(database, request);
    if (outcome.kind === 'not_found') throw notFound('alert');
    if (outcome.kind === 'conflict') throw new AppError('conflict', outcome.reason);
    const { workspaceId, alertId } = request;
    const filter = { alert_id: alertId };
    return deliveries.list({ workspaceId, range: always, filter, limit: maxDeliveries });
  };
}
