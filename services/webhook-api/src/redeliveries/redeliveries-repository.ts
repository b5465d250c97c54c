import type { RedeliveryFilter } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';
import type { IdRange } from '@tocsin/deliveries';

export interface StoredRedelivery {
  id: string;
  workspaceId: string;
  filter: RedeliveryFilter;
  matched: number;
  done: number;
  status: 'running' | 'done' | 'cancelled';
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
}

interface NewRedelivery
  extends Pick<StoredRedelivery, 'id' | 'workspaceId' | 'filter' | 'matched' | 'createdBy'> {
  /** Where the job begins: only deliveries below this id are sent again. */
  cursor: string;
}

export interface RedeliveriesRepository {
  /** Undefined where the workspace has `maxRunning` jobs running; nothing is written then. */
  add(job: NewRedelivery, maxRunning: number): Promise<StoredRedelivery | undefined>;
  find(workspaceId: string, id: string): Promise<StoredRedelivery | undefined>;
  /** Newest first. */
  list(query: { workspaceId: string; range: IdRange; limit: number }): Promise<StoredRedelivery[]>;
  /** Undefined where no such job is running. A page that is being carried out is waited for. */
  cancel(workspaceId: string, id: string): Promise<StoredRedelivery | undefined>;
}

export function createRedeliveriesRepository(database: Database): RedeliveriesRepository {
  return {
    async add({ id, workspaceId, filter, matched, createdBy, cursor }, maxRunning) {
      const values = [id, workspaceId, filter, matched, cursor, createdBy, maxRunning];
      const [row] = await database.prepared<RedeliveryRow>(add, values);
      return row && toRedelivery(row);
    },
    async find(workspaceId, id) {
      const [row] = await database.prepared<RedeliveryRow>(find, [workspaceId, id]);
      return row && toRedelivery(row);
    },
    async list({ workspaceId, range, limit }) {
      const rows = await database.prepared<RedeliveryRow>(list, [
        workspaceId,
        range.from,
        range.below,
        limit,
      ]);
      return rows.map(toRedelivery);
    },
    async cancel(workspaceId, id) {
      const [row] = await database.prepared<RedeliveryRow>(cancel, [workspaceId, id]);
      return row && toRedelivery(row);
    },
  };
}

const columns = 'id, workspace_id, filter, matched, done, status, created_by, created_at, updated_at';

// The time of creation is the database's, for it is compared with the times at which deliveries failed.
const add = {
  name: 'redeliveries.add',
  text: `insert into redeliveries (id, workspace_id, filter, matched, cursor, status, created_by, created_at, updated_at)
         select $1, $2, $3, $4, $5, 'running', $6, now(), now()
         where (select count(*) from redeliveries where status = 'running' and workspace_id = $2) < $7
         returning ${columns}`,
};

const find = {
  name: 'redeliveries.find',
  text: `select ${columns} from redeliveries where workspace_id = $1 and id = $2`,
};

const list = {
  name: 'redeliveries.list',
  text: `select ${columns} from redeliveries where workspace_id = $1 and id >= $2 and id < $3
         order by id desc limit $4`,
};

const cancel = {
  name: 'redeliveries.cancel',
  text: `update redeliveries set status = 'cancelled', updated_at = now()
         where workspace_id = $1 and id = $2 and status = 'running' returning ${columns}`,
};

interface RedeliveryRow {
  id: string;
  workspace_id: string;
  filter: RedeliveryFilter;
  matched: number;
  done: number;
  status: StoredRedelivery['status'];
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

function toRedelivery(row: RedeliveryRow): StoredRedelivery {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    filter: row.filter,
    matched: row.matched,
    done: row.done,
    status: row.status,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
