import type { Database } from '@tocsin/database';
import type { OpenDeliveryCounts } from '@tocsin/deliveries';
import { createLogger, createMetrics } from '@tocsin/kit';
import { createPartitionsAhead } from './maintenance-jobs.js';
import { createMaintenanceMetrics } from './maintenance-metrics.js';

async function runOnce(database: Database): Promise<string[]> {
  const stopping = new AbortController();
  const registry = createMetrics({ service: 'test' });
  await createPartitionsAhead({
    database,
    logger: createLogger({ service: 'test', level: 'silent' }),
    signal: stopping.signal,
    retentionDays: 90,
    retentionAttemptsDays: 14,
    openDeliveries: {} as OpenDeliveryCounts,
    notices: { noticeAfterMs: 600_000, disableAfterMs: undefined },
    metrics: createMaintenanceMetrics(registry),
    now: async () => Date.now(),
    pause: async () => stopping.abort(),
  });
  const { text } = await registry.expose();
  return text.split('\n').filter((line) => line.startsWith('tocsin_maintenance_'));
}

test('a job that never succeeded reports its start as its last success, and no duration', async () => {
  const before = Date.now() / 1_000;
  const lines = await runOnce({} as Database);
  expect(lines).toEqual([expect.stringContaining('last_success_timestamp_seconds{maintenance="partitions"')]);
  expect(Number(lines[0]?.split(' ').at(-1))).toBeGreaterThanOrEqual(before - 0.01);
});
