import type { RedeliveryFilter } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';
import type { IdRange } from '@tocsin/deliveries';
import { newestInRange } from '../lists/list-query.js';

export interface StoredRedelivery {
  id: string;
  workspaceId: string;
  filter: RedeliveryFilter;
  /** Number of matching deliveries at acceptance, counted up to a maximum. */
  matched: number;
  /** Number of deliveries opened so far. */
  done: number;
  status: 'running' | 'done' | 'cancelled';
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
}

interface NewRedelivery
  extends Pick<StoredRedelivery, 'id' | 'workspaceId' | 'filter' | 'matched' | 'createdBy'> {
  /** Start of the job: it opens deliveries with a lower id, from high ids to low ids. */
  cursor: string;
}

export interface RedeliveriesRepository {
  /** Undefined, without an insert, when the workspace has `maxRunning` running jobs. */
  add(job: NewRedelivery, maxRunning: number): Promise<StoredRedelivery | undefined>;
  find(workspaceId: string, id: string): Promise<StoredRedelivery | undefined>;
  /** Lists jobs, newest first. */
  list(query: { workspaceId: string; range: IdRange; limit: number }): Promise<StoredRedelivery[]>;
  /** Waits for a page of the job that is in progress. Undefined for a job that is not running. */
  cancel(workspaceId: string, id: string): Promise<StoredRedelivery | undefined>;
}

export function createRedeliveriesRepository(database: Database): RedeliveriesRepository {
  const { knex } = database;
  return {
    async add({ id, workspaceId, filter, matched, createdBy, cursor }, maxRunning) {
      const values = [id, workspaceId, filter, matched, cursor, createdBy, maxRunning];
      const [job] = await database.prepared<StoredRedelivery>(add, values);
      return job;
    },
    async find(workspaceId, id) {
      const [job] = await database.prepared<StoredRedelivery>(find, [workspaceId, id]);
      return job;
    },
    async list({ workspaceId, range, limit }) {
      return knex('redeliveries')
        .select(knex.raw(columns))
        .where('workspace_id', workspaceId)
        .modify(newestInRange, { column: 'id', range, limit });
    },
    async cancel(workspaceId, id) {
      const [job] = await database.prepared<StoredRedelivery>(cancel, [workspaceId, id]);
      return job;
    },
  };
}

const columns = `id, workspace_id as "workspaceId", filter, matched, done, status, created_by as "createdBy",
  created_at as "createdAt", updated_at as "updatedAt"`;

const add = {
  name: 'redeliveries.add',
  // The database's clock sets created_at, because it is compared with the times at which deliveries failed.
  text: `insert into redeliveries (id, workspace_id, filter, matched, cursor, status, created_by, created_at, updated_at)
         select $1, $2, $3, $4, $5, 'running', $6, now(), now()
         where (select count(*) from redeliveries where status = 'running' and workspace_id = $2) < $7
         returning ${columns}`,
};

const find = {
  name: 'redeliveries.find',
  text: `select ${columns} from redeliveries where workspace_id = $1 and id = $2`,
};

const cancel = {
  name: 'redeliveries.cancel',
  text: `update redeliveries set status = 'cancelled', updated_at = now()
         where workspace_id = $1 and id = $2 and status = 'running' returning ${columns}`,
};
