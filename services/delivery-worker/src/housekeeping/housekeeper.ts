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
  now: () => number;
}

const hourMs = 3_600_000;
const redeliveryPauseMs = 500;
const redeliveryPageSize = 500;

/** Makes partitions ahead of time and drops expired ones, every hour. Several workers may do it at once. */
export async function keepPartitions(deps: HousekeeperDeps): Promise<void> {
  const { database, logger, retentionDays, now } = deps;
  await repeat(deps, { name: 'partitions', pauseMs: () => hourMs }, async () => {
    await ensurePartitions(database, now());
    const dropped = await dropExpired(database, { nowMs: now(), retentionDays });
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

async function repeat(
  { logger, signal }: HousekeeperDeps,
  { name, pauseMs }: Chore,
  work: () => Promise<void>,
) {
  while (!signal.aborted) {
    let pause = redeliveryPauseMs;
    try {
      await work();
      pause = pauseMs();
    } catch (err) {
      logger.warn({ err, chore: name }, 'housekeeping.postponed');
      pause = 10 * redeliveryPauseMs;
    }
    await sleep(pause, undefined, { signal }).catch(() => {});
  }
}
