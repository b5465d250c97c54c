import { firstIdAt } from '@tocsin/database';
import type { Knex } from 'knex';
import { type IdRange, narrowToAlert } from './history-reader.js';
import type { OpenDeliveryCounts, WebhookInWorkspace } from './open-delivery-counts.js';

/** The rows that a job applies to, as far as they are not processed yet. */
export interface JobScope<Filter> {
  workspaceId: string;
  filter: Filter;
  /** Exclusive upper bound of the ids of the rows that are left. */
  cursor: string;
  /** Time of acceptance; null while the job is being created. */
  createdAt: Date | null;
}

export interface Job<Filter> extends JobScope<Filter> {
  createdBy: string;
}

export interface PageOptions {
  pageSize: number;
  /** Open deliveries as parts of their limits. */
  counts: OpenDeliveryCounts;
  /** Webhooks of the deliveries that the page opens; added to `counts` after the commit. */
  opened: WebhookInWorkspace[];
}

interface PageResult {
  /** Lowest id that is processed; undefined if the page is empty. */
  cursor: string | undefined;
  /** Number of rows that the page has changed. */
  done: number;
  isLast: boolean;
  /** True if the page ended early: more than half of a limit on open deliveries is used. */
  isPaused: boolean;
  /** True if the page has passed rows that the job has to visit again. */
  isBusy?: boolean;
}

/** The work of one kind of job, in the transaction of its page. */
export interface JobWork<Filter> {
  /**
   * Processes the next rows below the cursor. A page is limited by the rows read, not by those that match, so that its cost
   * is the same if all or none of a million rows match.
   */
  runPage(trx: Knex.Transaction, job: Job<Filter>, options: PageOptions): Promise<PageResult>;
  /** Counts the rows that match, up to `max`. */
  count(trx: Knex.Transaction, scope: JobScope<Filter>, max: number): Promise<number>;
}

/** Range of the ids that can match, so that only its partitions are read. Undefined if nothing can match. */
export async function readRange(
  trx: Knex.Transaction,
  scope: JobScope<{ since?: string; alert_id?: string }>,
): Promise<IdRange | undefined> {
  const { since, alert_id: alertId } = scope.filter;
  const range = { from: firstIdAt(since === undefined ? 0 : Date.parse(since)), below: scope.cursor };
  if (alertId === undefined) return range;
  return narrowToAlert(trx, { workspaceId: scope.workspaceId, alertId, range });
}

/** Part of a limit on open deliveries that jobs leave to new alerts. */
const partForAlerts = 0.5;

/**
 * The rows before the first one that may not be opened now. `opens` are the webhooks for which a row opens a delivery.
 */
export async function withinQuota<Row extends { opens: string[] }>(
  rows: Row[],
  workspaceId: string,
  { counts, opened }: PageOptions,
): Promise<Row[]> {
  const webhooksOf = ({ opens }: Row) => opens.map((webhookId) => ({ workspaceId, webhookId }));
  await counts.refresh(rows.flatMap(webhooksOf));
  const firstRefused = rows.findIndex((row) => {
    const webhooks = webhooksOf(row);
    const fill = (webhook: WebhookInWorkspace) =>
      Math.max(counts.workspaceFill(workspaceId), counts.webhookFill(webhook));
    if (webhooks.some((webhook) => fill(webhook) > partForAlerts)) return true;
    for (const webhook of webhooks) counts.writing(webhook);
    opened.push(...webhooks);
    return false;
  });
  return firstRefused === -1 ? rows : rows.slice(0, firstRefused);
}
