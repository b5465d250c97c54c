import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, ensurePartitions } from '@tocsin/database';
import {
  deleteExpiredAlertKeys,
  deleteExpiredDeadLetters,
  deleteExpiredRedeliveries,
  dropExpiredDays,
  type RedeliveryPage,
  type Retention,
  runRedeliveryPage,
} from '@tocsin/deliveries';
import type { Logger } from '@tocsin/kit';

export interface HousekeeperDeps {
  database: Database;
  logger: Logger;
  signal: AbortSignal;
  retentionDays: number;
  /** The database's clock: by the worker's own, one that is wrong would make other days, or drop all. */
  now: () => Promise<number>;
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const hourMs = 3_600_000;
const minuteMs = 60_000;
const soonMs = 5_000;
const firstDaysPatienceMs = 5_000;
const redeliveryPauseMs = 500;
const redeliveryPageSize = 500;

/** Before anything is taken. A database that is away is not waited for: what is missing then is made when it is missed. */
export async function ensureFirstDays(deps: HousekeeperDeps): Promise<void> {
  const ensured = ensureDays(deps).catch((err) => postponed(deps, 'partitions', err));
  await Promise.race([ensured, sleep(firstDaysPatienceMs, undefined, { ref: false })]);
}

async function ensureDays({ database, now }: HousekeeperDeps): Promise<void> {
  await ensurePartitions(database, await now());
}

/** Makes partitions ahead of time, every hour. Several workers may do it at once. */
export async function keepPartitions(deps: HousekeeperDeps): Promise<void> {
  await repeat(deps, { name: 'partitions', retryMs: soonMs }, async () => {
    await ensureDays(deps);
    await tellWrongClock(deps);
    return hourMs;
  });
}

/** Nothing hangs on the worker's own clock, but the times in its log and of its attempts are by it. */
async function tellWrongClock({ logger, now }: HousekeeperDeps): Promise<void> {
  const aheadMs = Date.now() - (await now());
  if (Math.abs(aheadMs) > minuteMs) logger.warn({ ahead_ms: aheadMs }, 'clock.differs_from_database');
}

/** Removes what is older than the retention, every hour. Each kind apart: one that fails holds no other up. */
export async function keepRetention(deps: HousekeeperDeps): Promise<void> {
  const { database, logger, retentionDays, now, signal } = deps;
  const retention = async (): Promise<Retention> => ({ nowMs: await now(), retentionDays, signal });
  const everyHour = (name: string, remove: (database: Database, retention: Retention) => Promise<void>) =>
    repeat(deps, { name, retryMs: minuteMs }, async () => {
      await remove(database, await retention());
      return hourMs;
    });
  const days = repeat(deps, { name: 'expired days', retryMs: minuteMs }, async () => {
    const { dropped, busy } = await dropExpiredDays(database, await retention());
    if (dropped.length > 0) {
      logger.info({ dropped }, 'partitions.dropped');
      // The chore of the keys looked while the days stood, and looks again in an hour.
      await deleteExpiredAlertKeys(database, await retention());
    }
    return busy ? minuteMs : hourMs;
  });
  await Promise.all([
    days,
    everyHour('expired keys', deleteExpiredAlertKeys),
    everyHour('expired dead letters', deleteExpiredDeadLetters),
    everyHour('expired redeliveries', deleteExpiredRedeliveries),
  ]);
}

/** Carries out redelivery in bulk, a page at a time; a job goes on where it stood, whoever dies. */
export async function runRedeliveries(deps: HousekeeperDeps): Promise<void> {
  await repeat(deps, { name: 'redeliveries', retryMs: soonMs }, async () => {
    const page = await runRedeliveryPage(deps.database, redeliveryPageSize);
    if (page === undefined) return redeliveryPauseMs;
    deps.logger.info(describePage(page), 'redelivery.page_done');
    return 0;
  });
}

function describePage({ jobId, redelivered, finished }: RedeliveryPage) {
  return { redelivery_id: jobId, redelivered, finished };
}

interface Chore {
  name: string;
  /** After a failure. */
  retryMs: number;
}

/** `work` tells how many milliseconds later it is wanted again. */
async function repeat(deps: HousekeeperDeps, { name, retryMs }: Chore, work: () => Promise<number>) {
  const { signal, pause = sleepUntilAborted } = deps;
  while (!signal.aborted) {
    const pauseMs = await work().catch((err) => {
      postponed(deps, name, err);
      return retryMs;
    });
    await pause(pauseMs, signal);
  }
}

async function sleepUntilAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

function postponed({ logger }: HousekeeperDeps, chore: string, err: unknown): void {
  logger.warn({ err, chore }, 'housekeeping.postponed');
}
