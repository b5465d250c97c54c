import { sleep } from '@tocsin/kit';
import type { Backlog, BacklogReader } from './backlog-reader.js';
import type { DispatchDeps } from './dispatcher.js';

const measureEveryMs = 5_000;

/**
 * Reports the backlog every five seconds, until the signal is aborted. The gauge has a loop of its own because the
 * dispatcher waits while the broker is unavailable, and the size of the backlog matters most then. A value that cannot
 * be read is reported as NaN.
 */
export async function runBacklogGauge(
  deps: Pick<DispatchDeps, 'queueDepth' | 'logger' | 'signal'> & {
    repository: BacklogReader;
    metrics: Pick<DispatchDeps['metrics'], 'backlog'>;
  },
): Promise<void> {
  const { repository, queueDepth, metrics, logger, signal } = deps;
  const readBacklog = async (): Promise<Backlog> => {
    try {
      return await repository.backlog();
    } catch (err) {
      logger.warn({ err }, 'backlog.unknown');
      return unknown;
    }
  };
  while (!signal.aborted) {
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
