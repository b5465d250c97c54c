import { checkCanary, type Database, type SecretBox } from '@tocsin/database';
import { AppError, createLogThrottle, type HealthCheck, type Logger, type Metrics, sleep } from '@tocsin/kit';
import type { DatabaseRetry } from './database-retry.js';

/** Checks that this worker's keys decrypt the values of the database. */
export interface KeyCheck {
  /** Returns false before the first check, and while the keys do not decrypt the canary. True if there is no canary. */
  fit(): boolean;
  /**
   * Check for `/readyz`.
   * @throws AppError `unavailable` if the keys do not decrypt the canary, or are not checked yet. If the canary
   *   could not be read since the start, the detail says so and the cause is the error of the database.
   */
  check: HealthCheck;
}

export interface KeyCheckDeps {
  database: Database;
  secretBox: SecretBox;
  /** Runs the statement of the check, so that an idle worker also detects an unavailable database. */
  databaseRetry: Pick<DatabaseRetry, 'retryWhileUnavailable'>;
  /** The worker's consumers, which are paused until the keys decrypt the canary. */
  consumers: { pause(): void; resume(): void };
  registry: Metrics;
  logger: Logger;
  /** Signal that is aborted when the worker stops. */
  signal: AbortSignal;
}

const checkEveryMs = 5_000;
const logEveryMs = 60_000;

/**
 * Checks the keys every five seconds until the worker stops. While the keys do not decrypt the canary, the worker
 * consumes nothing, and other workers get all messages. While the canary cannot be read, the last result remains, also
 * the result that the keys are not checked yet. The log then has the reason once.
 */
export function startKeyCheck(deps: KeyCheckDeps): KeyCheck & { stopped: Promise<void> } {
  const { database, secretBox, databaseRetry, consumers, registry, logger, signal } = deps;
  const logThrottled = createLogThrottle({ everyMs: logEveryMs });
  let fault: AppError | undefined = notChecked;
  let isMismatch = false;
  let isReadable = true;
  registry.gauge('tocsin_keys_mismatch', '1 while SECRETS_KEYS does not decrypt the canary.', [], (gauge) =>
    gauge.set(isMismatch ? 1 : 0),
  );

  const canaryUnreadable = (err: unknown) => {
    if (signal.aborted) return;
    if (fault === notChecked) fault = new AppError('unavailable', notReadable, { cause: err });
    if (isReadable) logger.error({ err }, 'secrets.key_check_failed');
    isReadable = false;
  };
  const update = async () => {
    try {
      await databaseRetry.retryWhileUnavailable(() => checkCanary(database, secretBox));
      if (fault !== undefined) consumers.resume();
      fault = undefined;
      isMismatch = false;
      isReadable = true;
    } catch (error) {
      if (!(error instanceof AppError)) return canaryUnreadable(error);
      if (fault === undefined) consumers.pause();
      fault = error;
      isMismatch = true;
      isReadable = true;
      logThrottled((count) => logger.error({ err: error, count }, 'secrets.keys_mismatch'));
    }
  };
  const run = async () => {
    while (!signal.aborted) {
      await update();
      await sleep(checkEveryMs, signal);
    }
  };
  return {
    fit: () => fault === undefined,
    async check() {
      if (fault !== undefined) throw fault;
    },
    stopped: run(),
  };
}

const notChecked = new AppError('unavailable', 'SECRETS_KEYS is not checked yet.');
// The reason is in the log only, because the error of a database can contain names of its tables and roles.
const notReadable =
  'SECRETS_KEYS is not checked yet: the canary cannot be read. The log line secrets.key_check_failed has the reason.';
