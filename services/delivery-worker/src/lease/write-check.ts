import { explainWriteFailure } from '@tocsin/database';
import { AppError, type HealthCheck, type Logger, type Shutdown } from '@tocsin/kit';
import type { WriteFailure } from '../database-retry.js';

/**
 * Reports a database that this worker cannot write to: read-only, out of disk space, without privileges, or
 * unavailable.
 */
export interface WriteCheck {
  isWritable(): boolean;
  /** Check for `/readyz`. */
  check: HealthCheck;
}

export interface WriteCheckDeps {
  /**
   * Each function returns the start and the latest error of the current series of failures, or undefined if there is
   * none. One function is for renewals of the lease, which detect a failure even while the worker has nothing else to
   * write. Another is for the statements of `DatabaseRetry`, mainly batches of rows, which also detect that tables
   * cannot grow, for example because the disk is full.
   */
  failures: (() => WriteFailure | undefined)[];
  shutdown: Pick<Shutdown, 'addInterval'>;
  logger: Logger;
  now: () => number;
}

/**
 * Time for which writes must fail before the worker reports it, in milliseconds. A restart of the database takes less.
 */
const toleratedMs = 10_000;
const checkEveryMs = 1_000;

export function createWriteCheck({ failures, shutdown, logger, now }: WriteCheckDeps): WriteCheck {
  const findReason = (): string | undefined => {
    const found = failures.map((failure) => failure()).find(isLong);
    return found && explainWriteFailure(found.error);
  };
  const isLong = (failure: WriteFailure | undefined) =>
    failure !== undefined && now() - failure.sinceMs >= toleratedMs;
  let reported: string | undefined;
  const report = () => {
    const reason = findReason();
    if (reason === reported) return;
    reported = reason;
    if (reason === undefined) logger.info({}, 'database.writable');
    else logger.warn({ reason }, 'database.not_writable');
  };
  shutdown.addInterval(report, checkEveryMs);
  return {
    isWritable: () => findReason() === undefined,
    async check() {
      const reason = findReason();
      if (reason !== undefined) throw new AppError('unavailable', reason);
    },
  };
}
