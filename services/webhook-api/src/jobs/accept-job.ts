import { randomUUID } from 'node:crypto';
import { type JobFilters, type JobKind, maxCountedMatches } from '@tocsin/contracts';
import { type AuditAuthor, type Database, firstIdAt, readClock, recordId } from '@tocsin/database';
import { countForJob } from '@tocsin/deliveries';
import { AppError, invalidBody } from '@tocsin/kit';
import { type ReadLimiter, searchTimeoutMs } from '../lists/read-limiter.js';
import type { JobsRepository, StoredJob } from './jobs-repository.js';

export interface AcceptJobDeps {
  repository: Pick<JobsRepository, 'add'>;
  searchLimiter: ReadLimiter;
  database: Database;
}

/** Members of a job's filter that this file uses. Each kind of job has further members. */
type GivenFilter = {
  all?: boolean;
  since?: string;
  until?: string;
  status?: 'failed' | 'skipped' | 'succeeded';
};

interface AcceptJob {
  kind: JobKind;
  workspaceId: string;
  body: GivenFilter;
  author: AuditAuthor;
}

const maxRunning = 10;

/**
 * Returns a function that adds a job for the workers. The filter of the job matches neither alerts that are accepted
 * after the job was added, nor their deliveries.
 * @throws AppError `validation_failed` for a filter that matches the whole workspace, unless `all` is true; `conflict`
 *   if the workspace has 10 running jobs
 */
export function createAcceptJob({ repository, searchLimiter, database }: AcceptJobDeps) {
  return async ({ kind, workspaceId, body, author }: AcceptJob): Promise<StoredJob> => {
    // The database's clock is used, because the times in the ids of deliveries come from it too.
    const nowMs = await readClock(database);
    requireFilter(kind, body, nowMs);
    const filter = fixFilter(kind, body, nowMs);
    const matched = await searchLimiter.run(workspaceId, () =>
      countForJob(database, {
        kind,
        workspaceId,
        filter,
        max: maxCountedMatches,
        timeoutMs: searchTimeoutMs,
      }),
    );
    const id = recordId(nowMs, randomUUID());
    const cursor = firstIdAt(Date.parse(filter.until));
    const job = await repository.add(
      { id, kind, workspaceId, filter, matched, cursor },
      { maxRunning, author },
    );
    if (job !== undefined) return job;
    throw new AppError(
      'conflict',
      `This workspace has ${maxRunning} running jobs; wait until one of them has ended, or cancel one with DELETE.`,
    );
  };
}

const wholeWorkspace: Record<JobKind, (status: string) => string> = {
  redelivery: (status) =>
    `must have a filter besides status, or "all": true to send every ${status} delivery of the workspace again`,
  dispatch: () =>
    'must have a filter, or "all": true to dispatch every alert of the workspace that has no deliveries',
  cancellation: () => 'must have a filter, or "all": true to cancel every open delivery of the workspace',
};

/** An `until` that is not in the past is no filter, because a job matches only alerts accepted before it. */
function requireFilter(
  kind: JobKind,
  { status = 'failed', all, until, ...filter }: GivenFilter,
  nowMs: number,
): void {
  if (all === true || Object.values(filter).some((value) => value !== undefined)) return;
  if (until !== undefined && Date.parse(until) < nowMs) return;
  const hint = until === undefined ? '' : '; an until that is not in the past is no filter';
  throw invalidBody([{ path: '', message: `${wholeWorkspace[kind](status)}${hint}` }]);
}

/**
 * Restricts the time range of a filter to the alerts that were accepted before `nowMs`, and to their deliveries. The
 * times are converted to UTC.
 */
function fixFilter(
  kind: JobKind,
  { all, since, ...filter }: GivenFilter,
  nowMs: number,
): JobFilters[JobKind] {
  const untilMs = filter.until === undefined ? nowMs : Math.min(Date.parse(filter.until), nowMs);
  const fixed = {
    ...filter,
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    until: new Date(untilMs).toISOString(),
  };
  return kind === 'redelivery' ? { ...fixed, status: filter.status ?? 'failed' } : fixed;
}
