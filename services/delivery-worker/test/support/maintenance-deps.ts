import { type Database, readClock } from '@tocsin/database';
import { createOpenDeliveryCounts } from '@tocsin/deliveries';
import { createLogger, createMetrics } from '@tocsin/kit';
import type { MaintenanceDeps } from '../../src/maintenance/maintenance-jobs.js';
import { createMaintenanceMetrics } from '../../src/maintenance/maintenance-metrics.js';

/** Returns the dependencies of the maintenance jobs of a leader, with limits of one open delivery. */
export function maintenanceDeps(
  database: Database,
  {
    signal,
    wait,
    ...overrides
  }: Partial<MaintenanceDeps> & Required<Pick<MaintenanceDeps, 'signal' | 'wait'>>,
): MaintenanceDeps {
  return {
    database,
    logger: createLogger({ service: 'test', level: 'silent' }),
    signal,
    retentionDays: 90,
    retentionAttemptsDays: 14,
    archive: false,
    openDeliveries: createOpenDeliveryCounts(database, { perWebhook: 1, perWorkspace: 1 }),
    notices: { noticeAfterMs: 600_000, disableAfterMs: undefined },
    metrics: createMaintenanceMetrics(createMetrics({ service: 'test' })),
    leads: () => true,
    now: () => readClock(database),
    wait,
    ...overrides,
  };
}
