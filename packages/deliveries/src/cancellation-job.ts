import type { CancellationFilter } from '@tocsin/contracts';
import type { Knex } from 'knex';
import { cancelOpen } from './cancellation-repository.js';
import type { IdRange } from './history-reader.js';
import { type JobScope, type JobWork, readRange } from './job.js';

type Scope = JobScope<CancellationFilter>;

/**
 * A page reads up to this number times `pageSize` rows, and cancels up to `pageSize` deliveries. The rows are open
 * deliveries of all workspaces, because their ids are ordered by time and not by workspace. Most of the rows may
 * therefore not match the filter. Reading one row takes about 1 µs.
 */
const rowsOfPage = 10;

/**
 * Cancels open deliveries. A delivery cannot be cancelled while it is being sent. If a job finds such deliveries, it
 * therefore starts again after its last page. The job ends when each of these deliveries has either ended by itself or
 * been cancelled. Deliveries that were opened after the creation of the job are excluded.
 */
export const cancellationWork: JobWork<CancellationFilter> = {
  async runPage(trx, job, { pageSize }) {
    const rowsRead = pageSize * rowsOfPage;
    const range = await readRange(trx, job);
    const rows = range === undefined ? [] : await readOpenDeliveries(trx, job, { range, rowsRead });
    const matching = rows.filter(({ matches }) => matches).map(({ id }) => id);
    const page = matching.slice(0, pageSize);
    const isCut = page.length < matching.length;
    const cancelled = await cancelOpen(trx, page);
    return {
      cursor: isCut ? page.at(-1) : rows.at(-1)?.id,
      done: cancelled.length,
      isLast: !isCut && rows.length < rowsRead,
      mustWait: false,
      isBusy: cancelled.length < page.length,
    };
  },

  async count(trx, scope, max) {
    const range = await readRange(trx, scope);
    if (range === undefined) return 0;
    const { rows } = await trx.raw(
      `select count(*)::integer as count from (
         select 1 from open_deliveries o where ${inRange} and ${matchesOf(scope.filter)} limit :max) matched`,
      { ...bindings(scope, range), max },
    );
    return rows[0].count;
  },
};

async function readOpenDeliveries(
  trx: Knex.Transaction,
  scope: Scope,
  { range, rowsRead }: { range: IdRange; rowsRead: number },
): Promise<{ id: string; matches: boolean }[]> {
  const { rows } = await trx.raw(
    `select delivery_id as id, ${matchesOf(scope.filter)} as matches from open_deliveries o
     where ${inRange} order by delivery_id desc limit :rowsRead`,
    { ...bindings(scope, range), rowsRead },
  );
  return rows;
}

const inRange = 'o.delivery_id >= cast(:from as uuid) and o.delivery_id < cast(:below as uuid)';

function matchesOf({ webhook_id, alert_id, alert_rule_id }: CancellationFilter): string {
  const inHistory = [
    ...(alert_id === undefined ? [] : ['d.alert_id = cast(:alertId as uuid)']),
    ...(alert_rule_id === undefined ? [] : ['d.alert_rule_id = cast(:alertRuleId as uuid)']),
  ];
  const conditions = [
    'o.workspace_id = cast(:workspaceId as uuid)',
    '(cast(:createdAt as timestamptz) is null or o.opened_at <= cast(:createdAt as timestamptz))',
    ...(webhook_id === undefined ? [] : ['o.webhook_id = cast(:webhookId as uuid)']),
  ].join(' and ');
  if (inHistory.length === 0) return `(${conditions})`;
  // The case expression runs the lookup in the history only for rows that match all other conditions.
  return `case when ${conditions} then
    exists (select from deliveries d where d.id = o.delivery_id and ${inHistory.join(' and ')}) else false end`;
}

function bindings({ workspaceId, filter, createdAt }: Scope, { from, below }: IdRange) {
  return {
    workspaceId,
    createdAt,
    webhookId: filter.webhook_id ?? null,
    alertId: filter.alert_id ?? null,
    alertRuleId: filter.alert_rule_id ?? null,
    from,
    below,
  };
}
