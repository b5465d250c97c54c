import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@tocsin/kit';
import type { DispatchMetrics } from './dispatch-metrics.js';
import type { Backlog, DispatchRepository } from './dispatch-repository.js';

export interface BacklogMeterDeps {
  repository: Pick<DispatchRepository, 'backlog'>;
  /** Messages ready in the deliveries queue; throws where the broker is away, or does not answer soon. */
  queueDepth: () => Promise<number>;
  metrics: Pick<DispatchMetrics, 'backlog'>;
  logger: Logger;
  signal: AbortSignal;
}

const measureEveryMs = 5_000;

/**
 * Tells what waits, apart from the dispatcher, which waits for the broker: what the database knows is wanted most while
 * that is away. What cannot be found out is not a number, rather than what it was before.
 */
export async function runBacklogMeter(deps: BacklogMeterDeps): Promise<void> {
  const { queueDepth, metrics, signal } = deps;
  while (!signal.aborted) {
    const [ready, backlog] = await Promise.all([queueDepth().catch(() => Number.NaN), readBacklog(deps)]);
    metrics.backlog({ ready, ...backlog });
    await sleep(measureEveryMs, undefined, { signal }).catch(() => {});
  }
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
