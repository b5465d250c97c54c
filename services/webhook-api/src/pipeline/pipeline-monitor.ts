import { alertsExchange, encodePipelineMarker, pipelineMarkerKey } from '@tocsin/contracts';
import { type Database, lowestId, readClock } from '@tocsin/database';
import type { Metrics, Shutdown } from '@tocsin/kit';
import type { Publisher } from '@tocsin/messaging';
import { createPipelineReader } from './pipeline-reader.js';

export interface PipelineMonitorDeps {
  database: Database;
  publisher: Pick<Publisher, 'publish'>;
  metrics: Metrics;
  shutdown: Pick<Shutdown, 'addInterval'>;
  /** Default: publish a marker every 10 s, and read the values of the gauges every 5 s. */
  intervals?: PipelineIntervals;
}

export interface PipelineIntervals {
  markEveryMs: number;
  readEveryMs: number;
}

/**
 * Reports two gauges: the age of the newest marker that a worker has committed (the lag), and the age of the oldest
 * open delivery without an attempt. The second gauge ignores deliveries that wait for a signing secret, paused webhooks
 * and webhooks with a rate limit. It stays 0 after a read that has found no such delivery. Between two reads, and while
 * the database cannot be read, other values grow with the time. A lost marker is not published again, so the lag grows until the next marker is committed. This
 * service and not the worker reports the gauges, because a stopped worker reports nothing.
 */
export function startPipelineMonitor(deps: PipelineMonitorDeps): void {
  const { database, publisher, metrics, shutdown } = deps;
  const { markEveryMs, readEveryMs } = deps.intervals ?? { markEveryMs: 10_000, readEveryMs: 5_000 };
  const reader = createPipelineReader(database);
  let lag = growingFrom(0);
  let oldest = none;
  let after = lowestId;

  metrics.gauge(
    'tocsin_pipeline_lag_seconds',
    'Age of the newest marker that went through the queue of alerts and was committed by a worker.',
    [],
    (gauge) => gauge.set(lag()),
  );
  metrics.gauge(
    'tocsin_oldest_delivery_seconds',
    'Age of the oldest open delivery without an attempt. Paused webhooks, webhooks with a rate limit and webhooks without a required signing secret are not included.',
    [],
    (gauge) => gauge.set(oldest()),
  );

  const mark = async () => {
    const content = encodePipelineMarker(await readClock(database));
    const type = pipelineMarkerKey;
    await publisher.publish({ exchange: alertsExchange, routingKey: pipelineMarkerKey, content, type });
  };
  const read = async () => {
    const age = await reader.markerAgeSeconds();
    if (age !== undefined) lag = growingFrom(age);
    const found = await reader.oldestDelivery(after);
    after = found.kind === 'unknown' ? found.continueAfter : lowestId;
    if (found.kind === 'found') oldest = growingFrom(found.ageSeconds);
    if (found.kind === 'none') oldest = none;
  };
  /** Ignores errors of the work, because the growing gauges show the failure. */
  const start = (work: () => Promise<void>) => void work().catch(() => {});
  for (const [work, everyMs] of [[mark, markEveryMs] as const, [read, readEveryMs] as const]) {
    start(work);
    shutdown.addInterval(() => start(work), everyMs);
  }
}

const none = () => 0;

/** Returns a function whose result starts at `seconds` and grows with the time. */
function growingFrom(seconds: number): () => number {
  const sinceMs = performance.now();
  return () => seconds + (performance.now() - sinceMs) / 1_000;
}
