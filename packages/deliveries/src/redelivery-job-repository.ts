import type { RedeliveryFilter } from '@tocsin/contracts';
import { type Database, firstIdAt, readWithTimeout } from '@tocsin/database';
import type { Knex } from 'knex';
import { type IdRange, narrowToAlert, readNewestFirst } from './history-reader.js';
import type { OpenDeliveryCounts, WebhookInWorkspace } from './open-delivery-counts.js';
import { reopenEnded } from './redelivery-repository.js';

export interface RedeliveryPage {
  jobId: string;
  /** Number of deliveries that this page has reopened. */
  redelivered: number;
  finished: boolean;
  /** True if the page ended early: more than half of a limit on open deliveries is used. */
  paused: boolean;
}

export interface RedeliveryPageOptions {
  pageSize: number;
  /** Open deliveries as parts of their limits. */
  counts: OpenDeliveryCounts;
}

/**
 * Runs one page of a running job: reads the next `pageSize` deliveries below the job's cursor, reopens those that match,
 * and moves the cursor, all in one commit. A kill at any time loses and repeats nothing. Jobs are served round robin,
 * also after a failed page; concurrent workers get different jobs. A page ends before a delivery whose webhook or
 * workspace has used more than half of its limit. Undefined if no job is running.
 */
export async function runRedeliveryPage(
  database: Database,
  options: RedeliveryPageOptions,
): Promise<RedeliveryPage | undefined> {
  let jobId: string | undefined;
  const opened: WebhookInWorkspace[] = [];
  try {
    return await database.knex.transaction(async (trx) => {
      const job = await takeRunningJob(trx);
      jobId = job?.id;
      return job && (await runPage(trx, job, { ...options, opened }));
    });
  } catch (error) {
    // The job goes to the end of the round; otherwise it would fail again before all others.
    if (jobId !== undefined) await database.knex.raw(`${touch} where id = ?`, [jobId]).catch(() => {});
    throw error;
  } finally {
    options.counts.written(opened);
  }
}

const touch = 'update redeliveries set updated_at = clock_timestamp()';

interface PageOptions extends RedeliveryPageOptions {
  /** Webhooks of the deliveries that the page opens; added to `counts`. */
  opened: WebhookInWorkspace[];
}

async function runPage(trx: Knex.Transaction, job: Job, options: PageOptions): Promise<RedeliveryPage> {
  // Custom plans open the partitions of the page only; a worker's generic plans (docs/adr/0004) open all of them.
  await trx.raw('set local plan_cache_mode = force_custom_plan');
  const { pageSize } = options;
  const rows = await readPage(trx, job, pageSize);
  const page = await withinQuota(rows, job, options);
  const paused = page.length < rows.length;
  const ids = page.filter(({ matches }) => matches).map(({ id }) => id);
  const reopened = await reopenEnded(trx, { ids, statuses: [job.filter.status] });
  const finished = !paused && page.length < pageSize;
  await trx.raw(
    `${touch}, cursor = coalesce(cast(:cursor as uuid), cursor), done = done + :done, status = :status where id = :id`,
    {
      id: job.id,
      cursor: page.at(-1)?.id ?? null,
      done: reopened.length,
      status: finished ? 'done' : 'running',
    },
  );
  return { jobId: job.id, redelivered: reopened.length, finished, paused };
}

/** Part of a limit on open deliveries that jobs leave to new alerts. */
const partForAlerts = 0.5;

/** The rows before the first one that may not be opened now. */
async function withinQuota(
  rows: PageRow[],
  { workspaceId }: Job,
  { counts, opened }: PageOptions,
): Promise<PageRow[]> {
  const matching = rows.filter(({ matches }) => matches);
  await counts.refresh(matching.map(({ webhookId }) => ({ workspaceId, webhookId })));
  const firstRefused = rows.findIndex(({ matches, webhookId }) => {
    if (!matches) return false;
    const webhook = { workspaceId, webhookId };
    if (Math.max(counts.workspaceFill(workspaceId), counts.webhookFill(webhook)) > partForAlerts) return true;
    counts.writing(webhook);
    opened.push(webhook);
    return false;
  });
  return firstRefused === -1 ? rows : rows.slice(0, firstRefused);
}

/** Counts the ended deliveries that match, up to `max`. Throws a statement timeout after `timeoutMs`. */
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
         select 1 from deliveries where ${indexed(filter)} and ${matching(filter)} limit :max) matched`,
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
  /** Exclusive upper bound of the ids of the deliveries that are left. */
  cursor: string;
  /** Time of acceptance; null while the job is being created. Deliveries that fail later do not belong to the job. */
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
 * A page is limited by the rows read, not by the rows that match: its cost is the same if all or none of a million
 * deliveries match, and no statement runs into its timeout.
 */
async function readPage(trx: Knex.Transaction, scope: Scope, pageSize: number): Promise<PageRow[]> {
  const range = await readRange(trx, scope);
  if (range === undefined) return [];
  const nowMs = scope.createdAt?.getTime() ?? Number.POSITIVE_INFINITY;
  return readNewestFirst({ range, limit: pageSize, nowMs }, async (window, limit) => {
    const { rows } = await trx.raw<{ rows: PageRow[] }>(
      `select id, webhook_id as "webhookId", ${matching(scope.filter)} as matches from deliveries
       where ${indexed(scope.filter)} order by id desc limit :limit`,
      { ...bindings(scope, window), limit },
    );
    return rows;
  });
}

interface PageRow {
  id: string;
  webhookId: string;
  matches: boolean;
}

/** Conditions for which an index returns the rows in the order of their ids. */
function indexed({ webhook_id, status }: RedeliveryFilter): string {
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

/** Range of the ids that can match, so that only its partitions are read. Undefined if nothing can match. */
async function readRange(trx: Knex.Transaction, scope: Scope): Promise<IdRange | undefined> {
  const { since, alert_id: alertId } = scope.filter;
  const range = { from: firstIdAt(since === undefined ? 0 : Date.parse(since)), below: scope.cursor };
  if (alertId === undefined) return range;
  return narrowToAlert(trx, { workspaceId: scope.workspaceId, alertId, range });
}
