import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@tocsin/kit';
import type { WorkerMetrics } from '../metrics.js';
import type { Backlog, DispatchRepository } from './dispatch-repository.js';

export interface BacklogMeterDeps {
  repository: Pick<DispatchRepository, 'backlog'>;
  /** Messages ready in the deliveries queue; throws where the broker is away, and may never answer where it is blocked. */
  queueDepth: () => Promise<number>;
  metrics: Pick<WorkerMetrics, 'backlog'>;
  logger: Logger;
  signal: AbortSignal;
}

const measureEveryMs = 5_000;
const brokerPatienceMs = 2_000;

/**
 * Tells what waits, apart from the dispatcher, which waits for the broker: what the database knows is wanted most while
 * that is away. What cannot be found out is not a number, rather than what it was before.
 */
export async function runBacklogMeter(deps: BacklogMeterDeps): Promise<void> {
  const { metrics, signal } = deps;
  const readReady = createReadyReader(deps);
  while (!signal.aborted) {
    const [ready, backlog] = await Promise.all([readReady(), readBacklog(deps)]);
    metrics.backlog({ ready, ...backlog });
    await sleep(measureEveryMs, undefined, { signal }).catch(() => {});
  }
}

/** While a question is open no other is asked: a broker that is blocked for hours would be left with thousands. */
function createReadyReader({ queueDepth, signal }: BacklogMeterDeps): () => Promise<number> {
  let asked: Promise<number> | undefined;
  return async () => {
    asked ??= queueDepth()
      .catch(() => Number.NaN)
      .finally(() => {
        asked = undefined;
      });
    const answered = new AbortController();
    const stop = AbortSignal.any([signal, answered.signal]);
    const late = sleep(brokerPatienceMs, Number.NaN, { signal: stop }).catch(() => Number.NaN);
    return Promise.race([asked, late]).finally(() => answered.abort());
  };
}

const unknown: Backlog = {
  due: Number.NaN,
  overdue: Number.NaN,
  oldestDueSeconds: Number.NaN,
  openCircuits: Number.NaN,
  retryAfters: Number.NaN,
};

async function readBacklog({ repository, logger }: BacklogMeterDeps): Promise<Backlog> {
  try {
    return await repository.backlog();
  } catch (err) {
    logger.warn({ err }, 'backlog.unknown');
    return unknown;
  }
}
