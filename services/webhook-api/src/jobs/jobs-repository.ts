import type { JobFilters, JobKind } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';
import type { IdRange } from '@tocsin/deliveries';
import { newestInRange } from '../lists/list-query.js';

export interface StoredJob {
  id: string;
  kind: JobKind;
  workspaceId: string;
  filter: JobFilters[JobKind];
  /** Number of matches at acceptance, counted up to a maximum. */
  matched: number;
  /** Number of deliveries, or of alerts, that are changed so far. */
  done: number;
  status: 'running' | 'done' | 'cancelled';
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
}

interface NewJob extends Pick<StoredJob, 'id' | 'kind' | 'workspaceId' | 'filter' | 'matched' | 'createdBy'> {
  /** Start of the job: it processes rows with a lower id, from high ids to low ids. */
  cursor: string;
}

type JobKey = Pick<StoredJob, 'kind' | 'workspaceId' | 'id'>;

export interface JobsRepository {
  /** Undefined, without an insert, when the workspace has `maxRunning` running jobs. */
  add(job: NewJob, maxRunning: number): Promise<StoredJob | undefined>;
  find(job: JobKey): Promise<StoredJob | undefined>;
  /** Lists jobs of a kind, newest first. */
  list(query: { kind: JobKind; workspaceId: string; range: IdRange; limit: number }): Promise<StoredJob[]>;
  /** Waits for a page of the job that is in progress. Undefined for a job that is not running. */
  cancel(job: JobKey): Promise<StoredJob | undefined>;
}

export function createJobsRepository(database: Database): JobsRepository {
  const { knex } = database;
  return {
    async add({ id, kind, workspaceId, filter, matched, createdBy, cursor }, maxRunning) {
      const values = [id, workspaceId, filter, matched, cursor, createdBy, maxRunning, kind];
      const [job] = await database.prepared<StoredJob>(add, values);
      return job;
    },
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
    async cancel({ kind, workspaceId, id }) {
      const [job] = await database.prepared<StoredJob>(cancel, [workspaceId, id, kind]);
      return job;
    },
  };
}

const columns = `id, kind, workspace_id as "workspaceId", filter, matched, done, status, created_by as "createdBy",
  created_at as "createdAt", updated_at as "updatedAt"`;

const add = {
  name: 'jobs.add',
  // The database's clock sets created_at, because it is compared with the times at which deliveries failed.
  text: `insert into jobs (id, kind, workspace_id, filter, matched, cursor, status, created_by, created_at, updated_at)
         select $1, $8, $2, $3, $4, $5, 'running', $6, now(), now()
         where (select count(*) from jobs where status = 'running' and workspace_id = $2) < $7
         returning ${columns}`,
};

const find = {
  name: 'jobs.find',
  text: `select ${columns} from jobs where workspace_id = $1 and id = $2 and kind = $3`,
};

const cancel = {
  name: 'jobs.cancel',
  text: `update jobs set status = 'cancelled', updated_at = now()
         where workspace_id = $1 and id = $2 and kind = $3 and status = 'running' returning ${columns}`,
};
