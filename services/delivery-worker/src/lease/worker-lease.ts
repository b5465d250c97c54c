import type { Logger } from '@tocsin/kit';
import type { WriteFailure } from '../database-retry.js';
import type { LeaseRepository } from './lease-repository.js';

/**
 * The lease of this worker. All its claims end with the lease (docs/adr/0029). Times are milliseconds on the monotonic
 * clock of the process, and are counted from before a renewal, so that a lease ends here before it ends in the database.
 */
export interface WorkerLease {
  /** Renews the lease now, and then every second until `end`. */
  start(): void;
  /**
   * Sets the function that is called after each renewal for which the database has been available for so long that other
   * live workers have renewed their leases too.
   */
  onQuiet(listener: (releaseBy: Date) => void): void;
  isHeld(): boolean;
  /**
   * True if the lease has been held without a gap since `sinceMs`: no other worker can have a claim that this worker
   * made after that time.
   */
  covers(sinceMs: number): boolean;
  /** Undefined if the last renewal succeeded. */
  failure(): WriteFailure | undefined;
  /** Ends the lease at once, if the database is available. */
  end(): Promise<void>;
}

export interface WorkerLeaseParts {
  repository: Pick<LeaseRepository, 'renew' | 'end'>;
  logger: Logger;
  now: () => number;
}

const renewEveryMs = 1_000;
/** A renewal that is slow does not delay the next one. */
const maxInProgress = 3;
/** Recovery of a killed worker's deliveries takes this time and a second more; a live worker may stall for two. */
const leaseMs = 3_000;
/** After a failed renewal others are likely to fail too: a database restarts, or connections are cut again and again. */
const unstableLeaseMs = 10_000;
const unstableForMs = 10_000;
/** Renewals until the first release of expired leases: live workers renew at least once meanwhile. */
const quietRenewals = 3;
/** Renewals until a release after a failed, slow or late one: live workers may first have to reconnect. */
const quietRenewalsAfterTrouble = 6;
const slowRenewalMs = 1_000;

export function createWorkerLease({ repository, logger, now }: WorkerLeaseParts): WorkerLease {
  let timer: NodeJS.Timeout | undefined;
  let onQuiet: (releaseBy: Date) => void = () => {};
  let inProgress = 0;
  let heldSinceMs = Number.POSITIVE_INFINITY;
  let endsAtMs = Number.NEGATIVE_INFINITY;
  let renewalsUntilQuiet = quietRenewals;
  let failure: WriteFailure | undefined;
  let lastFailureAtMs = Number.NEGATIVE_INFINITY;

  const failed = (error: unknown, startedAtMs: number) => {
    failure = { sinceMs: failure?.sinceMs ?? startedAtMs, error };
    lastFailureAtMs = now();
    renewalsUntilQuiet = quietRenewalsAfterTrouble;
  };
  /** Returns true if all workers have had time to renew their leases. */
  const renewed = (wasHeld: boolean, startedAtMs: number): boolean => {
    const isFirst = endsAtMs === Number.NEGATIVE_INFINITY;
    const hadGap = !wasHeld || now() > endsAtMs;
    if (hadGap && !isFirst) logger.warn({ for_ms: Math.round(now() - endsAtMs) }, 'lease.expired');
    if (hadGap) heldSinceMs = startedAtMs;
    endsAtMs = Math.max(endsAtMs, startedAtMs + leaseMs);
    failure = undefined;
    const isSlow = now() - startedAtMs > slowRenewalMs;
    if (isSlow || (hadGap && !isFirst)) renewalsUntilQuiet = quietRenewalsAfterTrouble;
    renewalsUntilQuiet -= 1;
    return renewalsUntilQuiet <= 0;
  };
  const renew = async () => {
    if (inProgress === maxInProgress) return;
    inProgress += 1;
    const startedAtMs = now();
    const isUnstable = startedAtMs - lastFailureAtMs < unstableForMs;
    try {
      const { wasHeld, releaseBy } = await repository.renew(isUnstable ? unstableLeaseMs : leaseMs);
      if (renewed(wasHeld, startedAtMs)) onQuiet(releaseBy);
    } catch (error) {
      failed(error, startedAtMs);
    } finally {
      inProgress -= 1;
    }
  };
  const isHeld = () => now() < endsAtMs;
  return {
    start() {
      timer = setInterval(() => void renew(), renewEveryMs).unref();
      void renew();
    },
    onQuiet(listener) {
      onQuiet = listener;
    },
    isHeld,
    covers: (sinceMs) => sinceMs >= heldSinceMs && isHeld(),
    failure: () => failure,
    async end() {
      clearInterval(timer);
      // The lease expires by itself if it cannot be ended.
      await repository.end().catch(() => {});
    },
  };
}
