import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Database,
  dropExpired,
  ensurePartitions,
  type RedeliveryPage,
  runRedeliveryPage,
} from '@tocsin/database';
import type { Logger } from '@tocsin/kit';

export interface HousekeeperDeps {
  database: Database;
  logger: Logger;
  signal: AbortSignal;
  retentionDays: number;
  /** The database's clock: by the worker's own, one that is wrong would make other days, or drop all. */
  now: () => Promise<number>;
}

const hourMs = 3_600_000;
const firstDaysPatienceMs = 5_000;
const redeliveryPauseMs = 500;
const redeliveryPageSize = 500;

/** Makes the partitions that are missing, of the days around the database's today. */
export async function ensureDays({ database, now }: HousekeeperDeps): Promise<void> {
  await ensurePartitions(database, await now());
}

/** Before anything is taken. A database that is away is not waited for: what is missing then is made when it is missed. */
export async function ensureFirstDays(deps: HousekeeperDeps): Promise<void> {
  const ensured = ensureDays(deps).catch((err) => postponed(deps, 'partitions', err));
  await Promise.race([ensured, sleep(firstDaysPatienceMs, undefined, { ref: false })]);
}

/** Makes partitions ahead of time and drops expired ones, every hour. Several workers may do it at once. */
export async function keepPartitions(deps: HousekeeperDeps): Promise<void> {
  const { database, logger, retentionDays, now } = deps;
  await repeat(deps, { name: 'partitions', pauseMs: () => hourMs }, async () => {
    await ensureDays(deps);
    const dropped = await dropExpired(database, { nowMs: await now(), retentionDays });
    if (dropped.length > 0) logger.info({ dropped }, 'partitions.dropped');
  });
}

/** Carries out redelivery in bulk, a page at a time; a job goes on where it stood, whoever dies. */
export async function runRedeliveries(deps: HousekeeperDeps): Promise<void> {
  let worked = false;
  await repeat(deps, { name: 'redeliveries', pauseMs: () => (worked ? 0 : redeliveryPauseMs) }, async () => {
    const page = await runRedeliveryPage(deps.database, redeliveryPageSize);
    worked = page !== undefined;
    if (page !== undefined) deps.logger.info(describePage(page), 'redelivery.page_done');
  });
}

function describePage({ jobId, redelivered, finished }: RedeliveryPage) {
  return { redelivery_id: jobId, redelivered, finished };
}

interface Chore {
  name: string;
  pauseMs: () => number;
}

async function repeat(deps: HousekeeperDeps, { name, pauseMs }: Chore, work: () => Promise<void>) {
  const { signal } = deps;
  while (!signal.aborted) {
    let pause = redeliveryPauseMs;
    try {
      await work();
      pause = pauseMs();
    } catch (err) {
      postponed(deps, name, err);
      pause = 10 * redeliveryPauseMs;
    }
    await sleep(pause, undefined, { signal }).catch(() => {});
  }
}

function postponed({ logger }: HousekeeperDeps, chore: string, err: unknown): void {
  logger.warn({ err, chore }, 'housekeeping.postponed');
}
