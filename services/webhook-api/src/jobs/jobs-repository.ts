import type { JobFilters, JobKind } from '@tocsin/contracts';
import { type AuditAuthor, type Database, lockName, recordChanges } from '@tocsin/database';
import type { IdRange } from '@tocsin/deliveries';
import { countUpTo, inRange, newestInRange } from '../lists/list-query.js';

export interface StoredJob {
  id: string;
  kind: JobKind;
  workspaceId: string;
  filter: JobFilters[JobKind];
  /** Number of alerts or deliveries that matched when the job was added, counted up to 100,000. */
  matched: number;
  /** Number of alerts or deliveries that the job has changed so far. */
  done: number;
  status: 'running' | 'done' | 'cancelled';
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
}

interface NewJob extends Pick<StoredJob, 'id' | 'kind' | 'workspaceId' | 'filter' | 'matched'> {
  /** Id at which the job starts. The job processes rows with lower ids, in descending order. */
  cursor: string;
}

type JobKey = Pick<StoredJob, 'kind' | 'workspaceId' | 'id'>;

interface JobQuery {
  kind: JobKind;
  workspaceId: string;
  range: IdRange;
}

export interface JobsRepository {
  /** Adds a job. Returns undefined and adds nothing if the workspace has `maxRunning` running jobs. */
  add(job: NewJob, options: { maxRunning: number; author: AuditAuthor }): Promise<StoredJob | undefined>;
  find(job: JobKey): Promise<StoredJob | undefined>;
  /** Lists jobs of a kind, newest first. */
  list(query: JobQuery & { limit: number }): Promise<StoredJob[]>;
  /** Counts jobs of a kind, up to `max`. */
  count(query: JobQuery, max: number): Promise<number>;
  /**
   * Waits until a worker has finished the current page, and cancels the job. Returns undefined for an ended or unknown
   * job.
   */
  cancel(job: JobKey, author: AuditAuthor): Promise<StoredJob | undefined>;
}

export function createJobsRepository(database: Database): JobsRepository {
  const { knex } = database;
  return {
    add: ({ filter, ...job }, { maxRunning, author }) =>
      knex.transaction(async (trx) => {
        // Without this lock, concurrent additions could exceed the maximum number of running jobs.
        await lockName(trx, `jobs/${job.workspaceId}`);
        const values = { ...job, filter: JSON.stringify(filter), createdBy: author.principal, maxRunning };
        const { rows } = await trx.raw<{ rows: StoredJob[] }>(add, values);
        if (rows[0] === undefined) return undefined;
        const { id, kind, workspaceId } = rows[0];
        await recordChanges(trx, author, [{ workspaceId, action: `${kind}.created`, resourceId: id }]);
        return rows[0];
      }),
    async find({ kind, workspaceId, id }) {
      const [job] = await database.prepared<StoredJob>(find, [workspaceId, id, kind]);
      return job;
    },
    async list({ kind, workspaceId, range, limit }) {
      return knex('jobs')
        .select(knex.raw(columns))
        .where({ workspace_id: workspaceId, kind })
        .modify(newestInRange, { column: 'id', range, limit });
    },
    count({ kind, workspaceId, range }, max) {
      const query = knex('jobs').select('id').where({ workspace_id: workspaceId, kind });
      return countUpTo(knex, query.modify(inRange, { column: 'id', range }), max);
    },
    cancel: (job, author) =>
      knex.transaction(async (trx) => {
        const { rows } = await trx.raw<{ rows: StoredJob[] }>(cancel, { ...job });
        if (rows[0] === undefined) return undefined;
        const { id, kind, workspaceId } = rows[0];
        await recordChanges(trx, author, [{ workspaceId, action: `${kind}.cancelled`, resourceId: id }]);
        return rows[0];
      }),
  };
}

const columns = `id, kind, workspace_id as "workspaceId", filter, matched, done, status, created_by as "createdBy",
  created_at as "createdAt", updated_at as "updatedAt"`;

// The database's clock sets created_at, because jobs compare this time with the failure times of deliveries, which come
// from the same clock.
const add = `
  insert into jobs (id, kind, workspace_id, filter, matched, cursor, status, created_by, created_at, updated_at)
  select :id, :kind, :workspaceId, :filter, :matched, :cursor, 'running', :createdBy, now(), now()
  where (select count(*) from jobs where status = 'running' and workspace_id = :workspaceId) < :maxRunning
  returning ${columns}`;

const find = {
  name: 'jobs.find',
  text: `select ${columns} from jobs where workspace_id = $1 and id = $2 and kind = $3`,
};

const cancel = `
  update jobs set status = 'cancelled', updated_at = now()
  where workspace_id = :workspaceId and id = :id and kind = :kind and status = 'running' returning ${columns}`;
