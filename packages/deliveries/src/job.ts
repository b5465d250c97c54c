import { firstIdAt } from '@tocsin/database';
import type { Knex } from 'knex';
import { type IdRange, narrowToAlert, readNewestFirst } from './history-reader.js';
import type { OpenDeliveryCounts, WebhookInWorkspace } from './open-delivery-counts.js';

/** Selects the rows that a job still has to process, or all rows that match the filter of a new job. */
export interface JobScope<Filter> {
  workspaceId: string;
  filter: Filter;
  /** Exclusive upper bound of the ids that are not processed yet. */
  cursor: string;
  /** Time at which the job was created; null while rows are counted for a new job. */
  createdAt: Date | null;
}

export interface Job<Filter> extends JobScope<Filter> {
  createdBy: string;
}

export interface PageOptions {
  pageSize: number;
  /** Numbers of open deliveries, relative to their limits. */
  counts: OpenDeliveryCounts;
  /**
   * The page adds the webhook of each delivery that it opens, once for each delivery. After the transaction, these
   * deliveries are reported to `counts`.
   */
  opened: WebhookInWorkspace[];
}

interface PageResult {
  /** Smallest id that the page has processed; undefined if the page is empty. */
  cursor: string | undefined;
  /** Number of rows that the page has changed. */
  done: number;
  isLast: boolean;
  /** True if the page ended early because more than half of a limit on open deliveries is used. */
  mustWait: boolean;
  /** True if the page has skipped rows that the job must read again later. */
  isBusy?: boolean;
}

/** The work of one kind of job. It runs in the transaction of a page. */
export interface JobWork<Filter> {
  /**
   * Processes the next rows below the cursor. The limit of a page applies to the rows that it reads, and not to the
   * rows that match the filter. A page therefore takes about the same time whether all or none of the rows match.
   */
  runPage(trx: Knex.Transaction, job: Job<Filter>, options: PageOptions): Promise<PageResult>;
  /** Counts matching rows, up to `max`. */
  count(trx: Knex.Transaction, scope: JobScope<Filter>, max: number): Promise<number>;
}

/**
 * Returns the range of ids that rows matching the filter can have; undefined if no row can match. A query with this
 * range reads only the partitions of the days in the range.
 */
export async function readRange(
  trx: Knex.Transaction,
  scope: JobScope<{ since?: string; alert_id?: string }>,
): Promise<IdRange | undefined> {
  const { since, alert_id: alertId } = scope.filter;
  const range = { from: firstIdAt(since === undefined ? 0 : Date.parse(since)), below: scope.cursor };
  if (alertId === undefined) return range;
  return narrowToAlert(trx, { workspaceId: scope.workspaceId, alertId, range });
}

/**
 * Returns the next rows for a page of a job, newest first, at most `pageSize`. `read` must return the newest rows of a
 * range of ids, newest first.
 */
export async function readPage<Row extends { id: string }>(
  trx: Knex.Transaction,
  scope: JobScope<{ since?: string; alert_id?: string }>,
  { pageSize, read }: { pageSize: number; read: (range: IdRange, limit: number) => Promise<Row[]> },
): Promise<Row[]> {
  const range = await readRange(trx, scope);
  if (range === undefined) return [];
  const nowMs = scope.createdAt?.getTime() ?? Number.POSITIVE_INFINITY;
  return readNewestFirst({ range, limit: pageSize, nowMs }, read);
}

/**
 * Returns the result of a page. `rows` are the rows that were read, and `page` those that `takeBelowHalfOfLimit` has
 * kept.
 */
export function pageResult(
  { rows, page, pageSize }: { rows: unknown[]; page: { id: string }[]; pageSize: number },
  done: number,
): PageResult {
  const mustWait = page.length < rows.length;
  return { cursor: page.at(-1)?.id, done, isLast: !mustWait && page.length < pageSize, mustWait };
}

/** Fraction of a limit on open deliveries that jobs leave free for new alerts. */
const partForAlerts = 0.5;

/**
 * Returns the rows before the first rejected row. A row is rejected if it would open a delivery, and the webhook of
 * this delivery or the workspace already uses more than half of its limit on open deliveries. `opens` contains the
 * webhook of each delivery that a row opens. The deliveries of the returned rows are added to `counts` and `opened`.
 */
export async function takeBelowHalfOfLimit<Row extends { opens: string[] }>(
  rows: Row[],
  workspaceId: string,
  { counts, opened }: PageOptions,
): Promise<Row[]> {
  const webhooksOf = ({ opens }: Row) => opens.map((webhookId) => ({ workspaceId, webhookId }));
  await counts.refresh(rows.flatMap(webhooksOf));
  const firstRejected = rows.findIndex((row) => {
    const webhooks = webhooksOf(row);
    const fill = (webhook: WebhookInWorkspace) =>
      Math.max(counts.workspaceFill(workspaceId), counts.webhookFill(webhook));
    if (webhooks.some((webhook) => fill(webhook) > partForAlerts)) return true;
    for (const webhook of webhooks) counts.writing(webhook);
    opened.push(...webhooks);
    return false;
  });
  return firstRejected === -1 ? rows : rows.slice(0, firstRejected);
}
