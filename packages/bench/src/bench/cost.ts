import { until } from '@tocsin/testing';
import type { CpuShares } from '../measure/process-usage.js';
import { writeFixtures } from '../test-bed/fixtures.js';
import { type TestBed, withWorkers } from '../test-bed/test-bed.js';
import {
  checkpoint,
  type HistoryTable,
  readSizes,
  readUpdateCounts,
  readWalBytes,
  type TableSize,
} from './cost-reader.js';
import { runAlerts } from './run-alerts.js';

/** Costs of one load. Bytes and CPU time are totals divided by the number of deliveries. */
export interface CostResult {
  /** `burst` means as fast as possible. A number is a rate in deliveries per second. */
  load: 'burst' | number;
  webhooks: number;
  deliveries: number;
  perSecond: number;
  /**
   * Growth of each table in bytes, divided by the number of deliveries. All deliveries of an alert share one row of
   * `alerts` and one row of `alert_keys`.
   */
  bytes: Record<HistoryTable, TableSize>;
  walBytes: number;
  /** Fraction of the updates of `deliveries` that changed no index, from 0 to 1. */
  hotShare: number;
  cpuMicros: CpuShares;
}

export interface CostOptions {
  alerts: number;
  webhooks: number;
  /** Rate of the steady run, in deliveries per second. */
  perSecond: number;
}

/**
 * Measures the costs of a burst and of a steady rate. In a burst, the pages of a table are full before their rows are
 * updated. More updates must then write the new row version to another page, and therefore also change the indexes.
 */
export async function measureCost(testBed: TestBed, options: CostOptions): Promise<CostResult[]> {
  return [
    await measureLoad(testBed, options, 'burst'),
    await measureLoad(testBed, options, options.perSecond),
  ];
}

async function measureLoad(
  testBed: TestBed,
  { alerts, webhooks }: CostOptions,
  load: CostResult['load'],
): Promise<CostResult> {
  const { database, secretBox, destination } = testBed;
  const fixtures = await writeFixtures(database, { secretBox, urls: destination.urls(webhooks) });
  return withWorkers(testBed, 1, async (workers) => {
    const rate = load === 'burst' ? {} : { alertsPerSecond: load / webhooks };
    await runAlerts(testBed, { fixtures, workers, alerts: Math.ceil(alerts / 10), ...rate });
    await checkpoint(database);
    const before = { sizes: await readSizes(database), wal: await readWalBytes(database) };
    const updatesBefore = await readUpdateCounts(database, 'deliveries');
    const { deliveries, perSecond, cpuMicros } = await runAlerts(testBed, {
      fixtures,
      workers,
      alerts,
      ...rate,
    });
    const walBytes = (await readWalBytes(database)) - before.wal;
    const sizes = await readSizes(database);
    const { updates, hot } = await until(
      'all updates are reported',
      async () => {
        const { updates, hot } = await readUpdateCounts(database, 'deliveries');
        const found = { updates: updates - updatesBefore.updates, hot: hot - updatesBefore.hot };
        return found.updates >= deliveries && found;
      },
      { timeoutMs: 30_000, intervalMs: 500 },
    );
    return {
      load,
      webhooks,
      deliveries,
      perSecond,
      bytes: mapTables(sizes, (table, part) => (sizes[table][part] - before.sizes[table][part]) / deliveries),
      walBytes: walBytes / deliveries,
      hotShare: hot / updates,
      cpuMicros,
    };
  });
}

function mapTables(
  sizes: Record<HistoryTable, TableSize>,
  measure: (table: HistoryTable, part: keyof TableSize) => number,
): Record<HistoryTable, TableSize> {
  const tables = Object.keys(sizes) as HistoryTable[];
  const sizeOf = (table: HistoryTable): TableSize => ({
    heap: measure(table, 'heap'),
    indexes: measure(table, 'indexes'),
    toast: measure(table, 'toast'),
  });
  return Object.fromEntries(tables.map((table) => [table, sizeOf(table)])) as Record<HistoryTable, TableSize>;
}
