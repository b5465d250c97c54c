import { type Database, ensurePartitions, readArchiveAge } from '@tocsin/database';
import {
  applyStatsChanges,
  deleteExpired,
  deleteRowsOfDeletedWebhooks,
  dropExpiredDays,
  expiringKinds,
  type NoticeOptions,
  type OpenDeliveryCounts,
  type Retention,
  removeExpiredAttempts,
  reportWebhooks,
  runJobPage,
} from '@tocsin/deliveries';
import { type Logger, sleep, withTimeout } from '@tocsin/kit';
import type { MaintenanceMetrics } from './maintenance-metrics.js';

export interface MaintenanceDeps {
  database: Database;
  logger: Logger;
  /** Signal that is aborted when the worker stops. */
  signal: AbortSignal;
  retentionDays: number;
  /** Retention of attempts in days. */
  retentionAttemptsDays: number;
  /** True if expired partitions are moved to the archive instead of being dropped. */
  archive: boolean;
  /** Counts the open deliveries of workspaces and of webhooks, and compares the counts with the limits. */
  openDeliveries: OpenDeliveryCounts;
  notices: NoticeOptions;
  metrics: MaintenanceMetrics;
  /** Returns true while this worker is the leader, which runs the frequent jobs for all workers. */
  leads: () => boolean;
  /**
   * Returns the time on the database's clock in Unix milliseconds. A worker whose own clock is wrong would otherwise
   * drop partitions in use.
   */
  now: () => Promise<number>;
  /** Waits between two runs of a job. Default: a timer. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const hourMs = 3_600_000;
const minuteMs = 60_000;
const retrySoonMs = 5_000;
const jobPollMs = 500;

/**
 * Creates partitions before the worker consumes messages. It waits for at most 5 s: if the database is unavailable, the
 * worker still starts, and missing partitions are created when a statement needs them.
 */
export async function createFirstPartitions(deps: MaintenanceDeps): Promise<void> {
  const created = createPartitions(deps).catch((err) => postponed(deps, 'partitions', err));
  await withTimeout(created, { timeoutMs: 5_000 }).catch(() => {});
}

/**
 * Runs all maintenance jobs until the worker stops. Every worker runs the hourly jobs. Only the leader runs the jobs
 * that look for work every few seconds. Two workers can safely run the same job at the same time.
 */
export async function runMaintenance(deps: MaintenanceDeps): Promise<void> {
  await Promise.all([
    createPartitionsAhead(deps),
    removeExpired(deps),
    updateStats(deps),
    runJobs(deps),
    writeNotices(deps),
  ]);
}

/** Creates the partitions of the coming days every hour. */
export async function createPartitionsAhead(deps: MaintenanceDeps): Promise<void> {
  await repeat(deps, { job: 'partitions', retryMs: retrySoonMs }, async () => {
    await createPartitions(deps);
    await reportWrongClock(deps);
    return hourMs;
  });
}

async function createPartitions({ database, now }: MaintenanceDeps): Promise<void> {
  await ensurePartitions(database, await now());
}

/**
 * Warns if this worker's clock differs from the database's clock by more than a minute. A wrong clock of a worker
 * affects only the times in logs, metrics and attempts, the timestamps of signatures, the time at which signing secrets
 * expire, and the calculated lengths of pauses.
 */
async function reportWrongClock({ logger, now }: MaintenanceDeps): Promise<void> {
  const aheadMs = Date.now() - (await now());
  if (Math.abs(aheadMs) > minuteMs) logger.warn({ ahead_ms: aheadMs }, 'clock.differs_from_database');
}

/**
 * Removes the records that are older than their retention period, once an hour. Each kind of record has its own
 * maintenance job, so that a failing job does not stop the others.
 */
export async function removeExpired(deps: MaintenanceDeps): Promise<void> {
  const { database, logger, retentionDays, archive, now, signal } = deps;
  const retention = async (): Promise<Retention> => ({ nowMs: await now(), retentionDays, archive, signal });
  const everyHour = (job: string, remove: () => Promise<void>) =>
    repeat(deps, { job, retryMs: minuteMs }, async () => {
      await remove();
      return hourMs;
    });
  const days = repeat(deps, { job: 'expired days', retryMs: minuteMs }, async () => {
    if (archive) deps.metrics.archiveWaits(await readArchiveAge(database));
    const { dropped, busy } = await dropExpiredDays(database, await retention());
    if (dropped.length > 0) {
      logger.info({ [archive ? 'archived' : 'dropped']: dropped }, 'partitions.dropped');
      // The alert keys of the dropped days are removed here, because the job `expired keys` may run an hour later.
      await deleteExpired(database, 'keys', await retention());
    }
    // Without this error, a transaction that is left open would stop the drops for ever, and no alarm would fire.
    if (busy) throw new Error('other transactions use the tables of an expired day');
    return hourMs;
  });
  const attempts = repeat(deps, { job: 'expired attempts', retryMs: minuteMs }, async () => {
    const retentionOfAttempts = { ...(await retention()), retentionDays: deps.retentionAttemptsDays };
    const emptied = await removeExpiredAttempts(database, retentionOfAttempts);
    if (emptied.length > 0) logger.info({ emptied }, 'attempts.expired');
    return hourMs;
  });
  await Promise.all([
    days,
    attempts,
    ...expiringKinds.map((kind) =>
      everyHour(`expired ${kind}`, async () => deleteExpired(database, kind, await retention())),
    ),
    everyHour('deleted webhooks', () => deleteRowsOfDeletedWebhooks(database)),
  ]);
}

/**
 * Moves rows with changes of delivery counts from the table `delivery_stats_changes` to the counts in `delivery_stats`.
 * The next run starts at once if rows are left, and otherwise after 5 s. Readers of the counts add the remaining rows
 * themselves. At 2,000 deliveries a second, these are about 10,000 rows, and adding them takes 3 ms.
 */
async function updateStats(deps: MaintenanceDeps): Promise<void> {
  await repeat(deps, { job: 'statistics', retryMs: retrySoonMs, leaderOnly: true }, async () => {
    const moreAreLeft = await applyStatsChanges(deps.database);
    return moreAreLeft ? 0 : 5_000;
  });
}

/** Runs the jobs of users page by page. The next leader continues a job after its last committed page. */
async function runJobs(deps: MaintenanceDeps): Promise<void> {
  const options = { pageSize: 500, counts: deps.openDeliveries };
  // Ids of the jobs that must wait because of a limit on open deliveries. The set is cleared after a page whose job
  // need not wait. Jobs are processed round robin. If a waiting job is already in the set, each unfinished job has been
  // tried and must wait. The set is then cleared too, and the worker waits before the next page.
  const waitingJobs = new Set<string>();
  await repeat(deps, { job: 'jobs', retryMs: retrySoonMs, leaderOnly: true }, async () => {
    const page = await runJobPage(deps.database, options);
    if (page === undefined) return jobPollMs;
    const { jobId, kind, done, finished, mustWait } = page;
    if (!mustWait || done > 0) deps.logger.info({ job_id: jobId, kind, done, finished }, 'job.page_done');
    const allMustWait = mustWait && waitingJobs.has(jobId);
    if (!mustWait || allMustWait) waitingJobs.clear();
    else waitingJobs.add(jobId);
    return allMustWait ? jobPollMs : 0;
  });
}

/** Disables webhooks that have been failing for too long, and writes notices about webhooks and dead letters. */
async function writeNotices(deps: MaintenanceDeps): Promise<void> {
  await repeat(deps, { job: 'notices', retryMs: retrySoonMs, leaderOnly: true }, async () => {
    for (const { event, workspaceId, webhookId } of await reportWebhooks(deps.database, deps.notices))
      deps.logger.info(
        { event_type: event, workspace_id: workspaceId, webhook_id: webhookId },
        'notice.written',
      );
    return 5_000;
  });
}

interface RepeatOptions {
  job: string;
  /** Delay after a failure, in milliseconds. */
  retryMs: number;
  leaderOnly?: boolean;
}

/**
 * Repeats `work` until the worker stops. With `leaderOnly`, `work` runs only while this worker is the leader. `work`
 * resolves to the delay before its next run, in milliseconds.
 */
async function repeat(
  deps: MaintenanceDeps,
  { job, retryMs, leaderOnly = false }: RepeatOptions,
  work: () => Promise<number>,
): Promise<void> {
  const { signal, metrics, leads, wait = sleep } = deps;
  let isStarted = false;
  while (!signal.aborted) {
    if (leaderOnly && !leads()) {
      if (isStarted) metrics.stopped(job);
      isStarted = false;
      // A second later, the loop checks again if this worker is the leader.
      await wait(1_000, signal);
      continue;
    }
    if (!isStarted) metrics.started(job);
    isStarted = true;
    const startedMs = performance.now();
    let delayMs = retryMs;
    try {
      delayMs = await work();
      metrics.succeeded(job, (performance.now() - startedMs) / 1_000);
    } catch (err) {
      postponed(deps, job, err);
    }
    await wait(delayMs, signal);
  }
}

function postponed({ logger }: MaintenanceDeps, job: string, err: unknown): void {
  logger.warn({ err, job }, 'maintenance.postponed');
}
