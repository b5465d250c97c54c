import { sleep } from '@tocsin/kit';
import type { WorkerLease } from '../lease/worker-lease.js';
import type { Backlog, BacklogReader } from './backlog-reader.js';
import type { DispatchMetrics } from './dispatch-metrics.js';
import type { DispatchDeps } from './dispatcher.js';

const measureEveryMs = 5_000;
/** Interval at which a worker that is not the leader checks if it has become the leader, in milliseconds. */
const followEveryMs = 1_000;

/**
 * Reports the backlog every five seconds while this worker leads, until the signal is aborted. While the database is
 * read-only, no worker can renew its lease, and each one reports the backlog. The gauge has its own loop, because the
 * dispatcher waits while the broker is unavailable, and operators need the size of the backlog then. A value that
 * cannot be read is reported as NaN.
 */
export async function runBacklogGauge(
  deps: Pick<DispatchDeps, 'queueDepth' | 'logger' | 'signal'> & {
    repository: BacklogReader;
    lease: Pick<WorkerLease, 'leads' | 'isHeld'>;
    metrics: Pick<DispatchMetrics, 'backlog' | 'noBacklog'>;
  },
): Promise<void> {
  const { repository, lease, queueDepth, metrics, logger, signal } = deps;
  const readBacklog = async (): Promise<Backlog> => {
    try {
      return await repository.backlog();
    } catch (err) {
      logger.warn({ err }, 'backlog.unknown');
      return unknown;
    }
  };
  while (!signal.aborted) {
    if (lease.isHeld() && !lease.leads()) {
      metrics.noBacklog();
      await sleep(followEveryMs, signal);
      continue;
    }
    const [ready, backlog] = await Promise.all([queueDepth().catch(() => Number.NaN), readBacklog()]);
    metrics.backlog({ ready, ...backlog });
    await sleep(measureEveryMs, signal);
  }
}

const unknown: Backlog = {
  due: Number.NaN,
  overdue: Number.NaN,
  oldestDueSeconds: Number.NaN,
  openCircuits: Number.NaN,
  retryAfters: Number.NaN,
};
