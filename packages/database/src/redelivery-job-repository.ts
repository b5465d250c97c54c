import type { RedeliveryFilter } from '@tocsin/contracts';
import type { Knex } from 'knex';
import { type IdRange, narrowToAlert } from './alert-range-reader.js';
import type { Database } from './connection.js';
import { newestFirst } from './newest-first.js';
import { readWithTimeout } from './read-with-timeout.js';
import { firstIdAt } from './record-id.js';
import { reopenEnded } from './redelivery-repository.js';

export interface RedeliveryPage {
  jobId: string;
  /** Deliveries that this page has put back on their way. */
  redelivered: number;
  finished: boolean;
}

/**
 * Carries one running job on by a page: looks at the next `pageSize` deliveries below the job's cursor, reopens those
 * that match, and moves the cursor, all in one commit. A kill between two pages or within one loses and repeats
 * nothing. Jobs take turns, also where a page fails; several workers may call at once and get different jobs. Undefined
 * when there is no work.
 */
export async function runRedeliveryPage(
  database: Database,
  pageSize: number,
): Promise<RedeliveryPage | undefined> {
  let jobId: string | undefined;
  try {
    return await database.knex.transaction(async (trx) => {
      const job = await takeRunningJob(trx);
      jobId = job?.id;
      return job && (await runPage(trx, job, pageSize));
    });
  } catch (error) {
    // Else it would be the next again, before all others.
    if (jobId !== undefined) await database.knex.raw(`${touch} where id = ?`, [jobId]).catch(() => {});
    throw error;
  }
}

const touch = 'update redeliveries set updated_at = clock_timestamp()';

async function runPage(trx: Knex.Transaction, job: Job, pageSize: number): Promise<RedeliveryPage> {
  // Planned for the days at hand. The plans that a worker keeps (docs/adr/0007) open those of the whole retention.
  await trx.raw('set local plan_cache_mode = force_custom_plan');
  const page = await readPage(trx, job, pageSize);
  const reopened = await reopenEnded(trx, { ids: page.ids, statuses: [job.filter.status] });
  const finished = page.scanned < pageSize || page.lowestId === null;
  await trx.raw(
    `${touch}, cursor = coalesce(cast(:cursor as uuid), cursor), done = done + :done, status = :status where id = :id`,
    {
      id: job.id,
      cursor: page.lowestId,
      done: reopened.length,
      status: finished ? 'done' : 'running',
    },
  );
  return { jobId: job.id, redelivered: reopened.length, finished };
}

/** How many ended deliveries match, counted to `max`; under a time limit, as `readWithTimeout` has it. */
export async function countRedeliverable(
  database: Database,
  { workspaceId, filter, max, timeoutMs }: CountOptions,
): Promise<number> {
  return readWithTimeout(database, timeoutMs, async (trx) => {
    const scope = { workspaceId, filter, cursor: firstIdAt(Date.parse(filter.until)), createdAt: null };
    const range = await readRange(trx, scope);
    if (range === undefined) return 0;
    const { rows } = await trx.raw(
      `select count(*)::integer as count from (
         select 1 from deliveries where ${sought(filter)} and ${matching(filter)} limit :max) matched`,
      { ...bindings(scope, range), max },
    );
    return rows[0].count;
  });
}

export interface CountOptions {
  workspaceId: string;
  filter: RedeliveryFilter;
  max: number;
  timeoutMs: number;
}

interface Scope {
  workspaceId: string;
  filter: RedeliveryFilter;
  /** Only deliveries below this id. */
  cursor: string;
  /** What fails after the job was accepted is not the job's; null while it is being accepted. */
  createdAt: Date | null;
}

interface Job extends Scope {
  id: string;
}

async function takeRunningJob(trx: Knex.Transaction): Promise<Job | undefined> {
  const { rows } = await trx.raw(
    `select id, workspace_id, filter, cursor, created_at from redeliveries where status = 'running'
     order by updated_at, id limit 1 for update skip locked`,
  );
  const row = rows[0];
  if (row === undefined) return undefined;
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    filter: row.filter,
    cursor: row.cursor,
    createdAt: row.created_at,
  };
}

/**
 * The page is bounded by what is looked at, not by what matches: its cost is the same whether all or none of a
 * million deliveries match, and no statement runs into a time-out. The last days below the cursor are read first, so
 * that a page does not open every day of the retention.
 */
async function readPage(trx: Knex.Transaction, scope: Scope, pageSize: number): Promise<Page> {
  const range = await readRange(trx, scope);
  if (range === undefined) return { ids: [], scanned: 0, lowestId: null };
  const nowMs = scope.createdAt?.getTime() ?? Number.POSITIVE_INFINITY;
  const lookedAt = await newestFirst({ range, limit: pageSize, nowMs }, async (window, limit) => {
    const { rows } = await trx.raw<{ rows: { id: string; matches: boolean }[] }>(
      `select id, ${matching(scope.filter)} as matches from deliveries
       where ${sought(scope.filter)} order by id desc limit :limit`,
      { ...bindings(scope, window), limit },
    );
    return rows;
  });
  return {
    ids: lookedAt.filter(({ matches }) => matches).map(({ id }) => id),
    scanned: lookedAt.length,
    lowestId: lookedAt.at(-1)?.id ?? null,
  };
}

interface Page {
  ids: string[];
  scanned: number;
  lowestId: string | null;
}

/** What an index finds in the order of ids. */
function sought({ webhook_id, status }: RedeliveryFilter): string {
  const range = 'id >= cast(:from as uuid) and id < cast(:below as uuid)';
  if (webhook_id !== undefined) return `webhook_id = :webhookId and ${range}`;
  return `workspace_id = :workspaceId and ${status === 'failed' ? 'failed_at is not null and ' : ''}${range}`;
}

function matching({ alert_id, alert_rule_id, status_code, status }: RedeliveryFilter): string {
  return [
    'workspace_id = :workspaceId and status = :status',
    ...(status === 'failed' ? ['(cast(:createdAt as timestamptz) is null or failed_at <= :createdAt)'] : []),
    ...(alert_id === undefined ? [] : ['alert_id = :alertId']),
    ...(alert_rule_id === undefined ? [] : ['alert_rule_id = :alertRuleId']),
    ...(status_code === undefined ? [] : ['status_code = :statusCode']),
  ].join(' and ');
}

function bindings({ workspaceId, filter, createdAt }: Scope, { from, below }: IdRange) {
  return {
    workspaceId,
    createdAt,
    status: filter.status,
    webhookId: filter.webhook_id ?? null,
    alertId: filter.alert_id ?? null,
    alertRuleId: filter.alert_rule_id ?? null,
    statusCode: filter.status_code ?? null,
    from,
    below,
  };
}

/** Bounds of ids, so that only the partitions of those days are read. Undefined where there can be nothing. */
async function readRange(trx: Knex.Transaction, scope: Scope): Promise<IdRange | undefined> {
  const { since, alert_id: alertId } = scope.filter;
  const range = { from: firstIdAt(since === undefined ? 0 : Date.parse(since)), below: scope.cursor };
  if (alertId === undefined) return range;
  return narrowToAlert(trx, { workspaceId: scope.workspaceId, alertId, range });
}
