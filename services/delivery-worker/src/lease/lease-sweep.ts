import { createSemaphore, type Logger } from '@tocsin/kit';
import type { LeaseMetrics } from './lease-metrics.js';
import type { LeaseRepository } from './lease-repository.js';

export interface LeaseSweep {
  /**
   * Returns deliveries to `waiting` if their lease has expired. Also returns deliveries that this worker has claimed
   * and does not process, if the lease of their row has expired. A call while a release is running does nothing. The
   * leader releases in every call. Any other worker releases in one of ten calls, because only it can find its own
   * claims that it does not process. After `replyLost`, it releases in every call until one release has found all rows
   * that the statement with the lost reply may have queued.
   */
  release(releaseBy: Date): Promise<void>;
  /**
   * Must be called when the dispatcher has lost the reply to its statement: rows may be queued although no worker
   * publishes them. The next sweeps return such rows to `waiting` too, so that they do not wait for the end of their
   * leases. `claimToken` is the token of a statement that claims deliveries. Its claims are released too.
   */
  replyLost(claimToken?: string): void;
}

export interface LeaseSweepDeps {
  repository: Pick<LeaseRepository, 'releaseExpired'>;
  /** Ids of the deliveries that this worker processes. */
  inFlightIds: () => string[];
  leads: () => boolean;
  logger: Logger;
  metrics: LeaseMetrics;
  /** Monotonic clock of the process in milliseconds. */
  now: () => number;
}

/**
 * Time after a lost reply in which releases include unpublished rows, in milliseconds. A statement can queue rows up to
 * 10 s after it was sent, and a release finds rows that have been queued for at least 1 s. One successful release after
 * 12 s therefore finds all of them.
 */
const lostForMs = 12_000;
/** A worker that is not the leader releases in one of this number of calls, and in every call after a lost reply. */
const followerCalls = 10;

export function createLeaseSweep(deps: LeaseSweepDeps): LeaseSweep {
  const { repository, inFlightIds, leads, logger, metrics, now } = deps;
  const running = createSemaphore({ permits: 1 });
  let lostUntilMs = 0;
  const lostClaims: string[] = [];
  let calls = 0;
  return {
    replyLost(claimToken) {
      lostUntilMs = now() + lostForMs;
      if (claimToken !== undefined) lostClaims.push(claimToken);
    },
    async release(releaseBy) {
      calls += 1;
      const isDue = leads() || lostUntilMs > 0 || calls % followerCalls === 0;
      const leave = isDue ? running.tryAcquire() : undefined;
      if (leave === undefined) return;
      const startedAtMs = now();
      const lostUntilAtStartMs = lostUntilMs;
      try {
        const options = {
          inFlight: inFlightIds(),
          releaseBy,
          unpublished: lostUntilAtStartMs > 0,
          lostClaims: [...lostClaims],
        };
        const count = await repository.releaseExpired(options);
        if (lostUntilAtStartMs === lostUntilMs && startedAtMs >= lostUntilAtStartMs) {
          lostUntilMs = 0;
          lostClaims.length = 0;
        }
        if (count === 0) return;
        metrics.leasesExpired(count);
        logger.warn({ count }, 'leases.released');
      } catch (err) {
        logger.warn({ err }, 'leases.postponed');
      } finally {
        leave();
      }
    },
  };
}
