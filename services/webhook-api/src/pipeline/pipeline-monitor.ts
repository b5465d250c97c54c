import { alertsExchange, encodePipelineMarker, pipelineMarkerKey } from '@tocsin/contracts';
import { type Database, readClock } from '@tocsin/database';
import type { Metrics, Shutdown } from '@tocsin/kit';
import type { Publisher } from '@tocsin/messaging';
import { beforeAllDeliveries, createPipelineReader } from './pipeline-reader.js';

export interface PipelineMonitorDeps {
  database: Database;
  publisher: Pick<Publisher, 'publish'>;
  metrics: Metrics;
  shutdown: Pick<Shutdown, 'addInterval'>;
  /** Default: a marker every 10 s, a reading every 5 s. */
  intervals?: PipelineIntervals;
}

export interface PipelineIntervals {
  markEveryMs: number;
  readEveryMs: number;
}

/**
 * Publishes markers through the queue of alerts and reports the age of the newest one that a worker has committed, and
 * the age of the oldest delivery without an attempt. Both gauges are served here and not by the workers, because a
 * stopped worker serves none. Between two readings, and while the database cannot be read, they grow with the time. A
 * marker that is lost is not replaced: the gauge grows until the next one is committed.
 */
export function startPipelineMonitor(deps: PipelineMonitorDeps): void {
  const { database, publisher, metrics, shutdown } = deps;
  const { markEveryMs, readEveryMs } = deps.intervals ?? { markEveryMs: 10_000, readEveryMs: 5_000 };
  const reader = createPipelineReader(database);
  let lag = growingFrom(0);
  let oldest = none;
  let after = beforeAllDeliveries;

  metrics.gauge(
    'tocsin_pipeline_lag_seconds',
    'Age of the newest marker that went through the queue of alerts and was committed by a worker.',
    [],
    (gauge) => gauge.set(lag()),
  );
  metrics.gauge(
    'tocsin_oldest_delivery_seconds',
    'Age of the oldest open delivery without an attempt whose webhook is not paused.',
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
    after = found.kind === 'unknown' ? found.continueAfter : beforeAllDeliveries;
    if (found.kind === 'found') oldest = growingFrom(found.ageSeconds);
    if (found.kind === 'none') oldest = none;
  };
  /** The gauges report the failure, because they keep growing. */
  const start = (work: () => Promise<void>) => void work().catch(() => {});
  for (const [work, everyMs] of [[mark, markEveryMs] as const, [read, readEveryMs] as const]) {
    start(work);
    shutdown.addInterval(() => start(work), everyMs);
  }
}

const none = () => 0;

/** A duration in seconds that has the given value now and grows with the time. */
function growingFrom(seconds: number): () => number {
  const sinceMs = performance.now();
  return () => seconds + (performance.now() - sinceMs) / 1_000;
}
