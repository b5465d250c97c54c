import type { JobFilters, JobKind } from '@tocsin/contracts';
import { type Database, firstIdAt, readWithTimeout } from '@tocsin/database';
import type { Knex } from 'knex';
import { cancellationWork } from './cancellation-job.js';
import { dispatchWork } from './dispatch-job.js';
import type { Job, JobWork, PageOptions } from './job.js';
import type { WebhookInWorkspace } from './open-delivery-counts.js';
import { redeliveryWork } from './redelivery-job.js';

export interface JobPage {
  jobId: string;
  kind: JobKind;
  /** Number of deliveries or alerts that this page has changed. */
  done: number;
  finished: boolean;
  /**
   * True if the next page should run later, because more than half of a limit on open deliveries is used, or because
   * deliveries that the job should cancel are being sent.
   */
  mustWait: boolean;
}

export type JobPageOptions = Omit<PageOptions, 'opened'>;

const works: { [Kind in JobKind]: JobWork<JobFilters[Kind]> } = {
  redelivery: redeliveryWork,
  dispatch: dispatchWork,
  cancellation: cancellationWork,
};

/**
 * Runs one page of a running job and moves its cursor in the same commit, so that a crash neither skips nor repeats
 * rows. Jobs are served round robin, even after a failed page, and concurrent workers get different jobs. A page that
 * opens deliveries ends before the first row whose webhook or workspace has used more than half of its limit on open
 * deliveries. Resolves to undefined if no job is running, or if other workers are processing all running jobs.
 */
export async function runJobPage(database: Database, options: JobPageOptions): Promise<JobPage | undefined> {
  if (!(await isAnyRunning(database))) return undefined;
  let jobId: string | undefined;
  const opened: WebhookInWorkspace[] = [];
  try {
    return await database.knex.transaction(async (trx) => {
      const job = await takeRunningJob(trx);
      jobId = job?.id;
      return job && (await runPage(trx, job, { ...options, opened }));
    });
  } catch (error) {
    // This update moves the job to the end of the round robin. Without the update, a job that always fails would be the
    // next one every time, and no other job would run.
    if (jobId !== undefined) await database.knex.raw(`${touch} where id = ?`, [jobId]).catch(() => {});
    throw error;
  } finally {
    options.counts.written(opened);
  }
}

/**
 * Returns true if any job is running. The function uses one statement without a transaction, because it is called twice
 * a second while no job is running.
 */
async function isAnyRunning(database: Database): Promise<boolean> {
  const [row] = await database.prepared<{ running: boolean }>(anyRunning, []);
  return row!.running;
}

const anyRunning = {
  name: 'jobs.any-running',
  text: `select exists (select from jobs where status = 'running') as running`,
};

const touch = 'update jobs set updated_at = clock_timestamp()';

async function runPage(trx: Knex.Transaction, job: RunningJob, options: PageOptions): Promise<JobPage> {
  // With a custom plan, PostgreSQL opens only the partitions in the id range of the page. With the generic plans that
  // workers use by default (docs/adr/0004), it opens all partitions.
  await trx.raw('set local plan_cache_mode = force_custom_plan');
  const { id, kind } = job;
  const { cursor, done, isLast, mustWait, isBusy = false } = await workOf(kind).runPage(trx, job, options);
  const revisits = isLast && (isBusy || job.revisit);
  const finished = isLast && !revisits;
  await trx.raw(
    `${touch}, cursor = coalesce(cast(:cursor as uuid), cursor), done = done + :done, status = :status,
     revisit = :revisit where id = :id`,
    {
      id,
      cursor: revisits ? startOf(job.filter) : (cursor ?? null),
      done,
      status: finished ? 'done' : 'running',
      revisit: !isLast && (isBusy || job.revisit),
    },
  );
  return { jobId: id, kind, done, finished, mustWait: mustWait || revisits };
}

/** The cast is safe because a job's kind determines the type of its filter. */
function workOf(kind: JobKind): JobWork<JobFilters[JobKind]> {
  return works[kind] as JobWork<JobFilters[JobKind]>;
}

export interface CountOptions<Kind extends JobKind> {
  kind: Kind;
  workspaceId: string;
  filter: JobFilters[Kind];
  max: number;
  timeoutMs: number;
}

/**
 * Counts the rows that a job would process, up to `max`.
 * @throws Error with a statement timeout after `timeoutMs` milliseconds
 */
export async function countForJob<Kind extends JobKind>(
  database: Database,
  { kind, workspaceId, filter, max, timeoutMs }: CountOptions<Kind>,
): Promise<number> {
  const scope = { workspaceId, filter, cursor: startOf(filter), createdAt: null };
  return readWithTimeout(database, timeoutMs, (trx) => workOf(kind).count(trx, scope, max));
}

/** Returns the first cursor of a job: an id above the ids of all rows that were accepted before `until`. */
function startOf({ until }: JobFilters[JobKind]): string {
  return firstIdAt(Date.parse(until));
}

interface RunningJob extends Job<JobFilters[JobKind]> {
  id: string;
  kind: JobKind;
  revisit: boolean;
}

async function takeRunningJob(trx: Knex.Transaction): Promise<RunningJob | undefined> {
  const { rows } = await trx.raw<{ rows: RunningJob[] }>(
    `select id, kind, workspace_id as "workspaceId", filter, cursor, revisit, created_at as "createdAt",
            created_by as "createdBy"
     from jobs where status = 'running'
     order by updated_at, id limit 1 for update skip locked`,
  );
  return rows[0];
}
