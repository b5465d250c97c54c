import { randomUUID } from 'node:crypto';
import type { JobFilters, JobKind } from '@tocsin/contracts';
import { firstIdAt } from '@tocsin/database';
import {
  createOpenDeliveryCounts,
  type OpenDeliveryCounts,
  type OpenDeliveryLimits,
  runJobPage,
} from '@tocsin/deliveries';
import { useTestDatabase } from '@tocsin/testing/database';

interface JobFixture<Kind extends JobKind> {
  kind: Kind;
  /** Default members of the filter of each job. `addJob` can override them. */
  filter: Omit<JobFilters[Kind], 'until'>;
  /** `created_at` of each job, in milliseconds after the current time. Default: 0. */
  createdInMs?: number;
}

/** Creates a database for each test. Returns functions that insert jobs of one kind and workspace, and run pages. */
export function useJobs<Kind extends JobKind>({ kind, filter, createdInMs = 0 }: JobFixture<Kind>) {
  const workspaceId = randomUUID() as string;
  const db = useTestDatabase({ each: 'test' });
  let counts: OpenDeliveryCounts;
  const limitOpen = (limits: OpenDeliveryLimits) => {
    counts = createOpenDeliveryCounts(db.database, limits);
  };
  beforeEach(() => limitOpen({ perWebhook: 100_000, perWorkspace: 1_000_000 }));

  const runPage = (pageSize: number, database = db.database) => runJobPage(database, { pageSize, counts });
  return {
    db,
    workspaceId,
    /** Inserts a running job. Resolves to its id. */
    async addJob(members: Partial<JobFilters[Kind]> = {}): Promise<string> {
      const id = randomUUID();
      const whole = { until: new Date().toISOString(), ...filter, ...members };
      await db.database.knex('jobs').insert({
        id,
        kind,
        workspace_id: workspaceId,
        filter: whole,
        matched: 0,
        cursor: firstIdAt(Date.parse(whole.until)),
        status: 'running',
        created_by: 'issuer#ada',
        created_at: new Date(Date.now() + createdInMs),
        // The database's clock has microseconds, which preserve the order of jobs created in the same millisecond.
        updated_at: db.database.knex.raw('clock_timestamp()'),
      });
      return id;
    },
    job: (id: string) => db.database.knex('jobs').where({ id }).first(),
    /**
     * Sets new limits on open deliveries and discards the counts, so that the next page counts in the database again.
     */
    limitOpen,
    runPage,
    async runToEnd(pageSize: number): Promise<void> {
      while ((await runPage(pageSize)) !== undefined);
    },
  };
}
