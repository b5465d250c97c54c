import { createSemaphore, type Logger } from '@tocsin/kit';
import type { WriteFailure } from '../database-retry.js';
import type { LeaseRepository, RenewalResult } from './lease-repository.js';

/**
 * The lease of this worker. All claims of the worker are valid while the lease is held (docs/adr/0029). Times are
 * milliseconds on the monotonic clock of the process. The worker counts its lease from the start of the renewal. The
 * lease therefore ends for the worker before it ends in the database.
 */
export interface WorkerLease {
  /** Renews the lease now, and then every second until `end`. */
  start(): void;
  /**
   * Sets the function that is called after each renewal, once the database has been available long enough for all live
   * workers to renew their leases. The function may release claims and queued rows with expired leases. After the time
   * `releaseBy` on the database's clock, it must release none.
   */
  onReleaseAllowed(listener: (releaseBy: Date) => void): void;
  isHeld(): boolean;
  /**
   * Returns true if this worker has held its lease without a gap since `sinceMs`. In this case, it still owns every
   * claim that it has made since then.
   */
  covers(sinceMs: number): boolean;
  /**
   * Returns true while this worker is the leader, which dispatches for all workers. A worker whose lease expires stops
   * leading before another worker can become the leader, because it counts the lease from the start of the renewal.
   * After a call of `setMayLead`, two workers can lead for up to a second. This is harmless (see `runDispatcher`).
   */
  leads(): boolean;
  /**
   * Sets whether this worker may lead. The initial value is false. With false, this worker becomes the leader only if
   * no other worker may lead. Each renewal stores the value in the table `workers`, where other workers read it.
   */
  setMayLead(mayLead: boolean): void;
  /** Number of workers with a lease at the last renewal, at least 1. */
  workers(): number;
  /** Returns the start and the last error of the current series of failed renewals; undefined if there is none. */
  failure(): WriteFailure | undefined;
  /** Ends the lease at once if the database is available; otherwise it expires by itself. */
  end(): Promise<void>;
}

export interface WorkerLeaseDeps {
  repository: Pick<LeaseRepository, 'renew' | 'end'>;
  logger: Logger;
  now: () => number;
}

const renewEveryMs = 1_000;
/**
 * Duration of a lease in milliseconds. Deliveries of a killed worker are released about a second after the end of its
 * lease. A live worker that is blocked for up to two seconds keeps its lease, because it renews the lease every second.
 */
const leaseMs = 3_000;
/**
 * Duration in the database of a lease that is renewed within 10 s after a failed renewal, in milliseconds. It is longer
 * than usual, because further renewals are likely to fail too, for example while the database restarts. The worker
 * itself still counts only `leaseMs`.
 */
const unstableLeaseMs = 10_000;
const unstableForMs = 10_000;
/**
 * Number of successful renewals before the first release of expired leases. The third renewal is 2 s after the first,
 * and every live worker has renewed its own lease by then.
 */
const renewalsBeforeRelease = 3;
/**
 * Number of successful renewals before the next release of expired leases, after a failed, slow or late renewal. The
 * renewals of other live workers may have failed too, and these workers need time to reconnect.
 */
const renewalsBeforeReleaseAfterFailure = 6;
const slowRenewalMs = 1_000;

export function createWorkerLease({ repository, logger, now }: WorkerLeaseDeps): WorkerLease {
  // Several renewals may be in progress, so that a slow one does not delay the next one.
  const renewals = createSemaphore({ permits: 3 });
  let timer: NodeJS.Timeout | undefined;
  let onReleaseAllowed: (releaseBy: Date) => void = () => {};
  let mayLead = false;
  let heldSinceMs = Number.POSITIVE_INFINITY;
  let endsAtMs = Number.NEGATIVE_INFINITY;
  let renewalsUntilRelease = renewalsBeforeRelease;
  let failure: WriteFailure | undefined;
  let lastFailureAtMs = Number.NEGATIVE_INFINITY;
  let lead = { leads: false, workers: 1, atMs: Number.NEGATIVE_INFINITY };

  const failed = (error: unknown, startedAtMs: number) => {
    failure = { sinceMs: failure?.sinceMs ?? startedAtMs, error };
    lastFailureAtMs = now();
    renewalsUntilRelease = renewalsBeforeReleaseAfterFailure;
  };
  /** Processes the reply to a renewal. Returns true if all live workers have had time to renew their leases. */
  const renewed = ({ wasHeld, leads, workers }: RenewalResult, startedAtMs: number): boolean => {
    // Replies can arrive in another order than the renewals were sent. Only the reply to the latest renewal decides if
    // this worker is the leader.
    if (startedAtMs > lead.atMs) {
      if (leads !== lead.leads) logger.info({ leads, workers }, 'lease.lead_changed');
      lead = { leads, workers, atMs: startedAtMs };
    }
    const isFirst = endsAtMs === Number.NEGATIVE_INFINITY;
    const hadGap = !wasHeld || now() > endsAtMs;
    if (hadGap && !isFirst) logger.warn({ for_ms: Math.round(now() - endsAtMs) }, 'lease.expired');
    if (hadGap) heldSinceMs = startedAtMs;
    endsAtMs = Math.max(endsAtMs, startedAtMs + leaseMs);
    failure = undefined;
    const isSlow = now() - startedAtMs > slowRenewalMs;
    if (isSlow || (hadGap && !isFirst)) renewalsUntilRelease = renewalsBeforeReleaseAfterFailure;
    renewalsUntilRelease -= 1;
    return renewalsUntilRelease <= 0;
  };
  const renew = async () => {
    const release = renewals.tryAcquire();
    if (release === undefined) return;
    const startedAtMs = now();
    const isUnstable = startedAtMs - lastFailureAtMs < unstableForMs;
    try {
      const result = await repository.renew(isUnstable ? unstableLeaseMs : leaseMs, mayLead);
      if (renewed(result, startedAtMs)) onReleaseAllowed(result.releaseBy);
    } catch (error) {
      failed(error, startedAtMs);
    } finally {
      release();
    }
  };
  const isHeld = () => now() < endsAtMs;
  return {
    start() {
      timer = setInterval(() => void renew(), renewEveryMs).unref();
      void renew();
    },
    onReleaseAllowed(listener) {
      onReleaseAllowed = listener;
    },
    isHeld,
    covers: (sinceMs) => sinceMs >= heldSinceMs && isHeld(),
    leads: () => lead.leads && now() < lead.atMs + leaseMs,
    setMayLead(value) {
      mayLead = value;
    },
    workers: () => lead.workers,
    failure: () => failure,
    async end() {
      clearInterval(timer);
      // A lease that cannot be ended expires by itself.
      await repository.end().catch(() => {});
    },
  };
}
