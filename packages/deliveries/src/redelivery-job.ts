import type { RedeliveryFilter } from '@tocsin/contracts';
import type { Knex } from 'knex';
import type { IdRange } from './history-reader.js';
import { type JobScope, type JobWork, pageResult, readPage, readRange, takeBelowHalfOfLimit } from './job.js';
import { reopenEnded } from './redelivery-repository.js';

type Scope = JobScope<RedeliveryFilter>;

/**
 * Redelivers ended deliveries. A job for failed deliveries excludes deliveries that failed after the creation of the
 * job, so that a delivery that fails again is not redelivered twice.
 */
export const redeliveryWork: JobWork<RedeliveryFilter> = {
  async runPage(trx, job, options) {
    const { pageSize } = options;
    const rows = await readRows(trx, job, pageSize);
    const page = await takeBelowHalfOfLimit(rows, job.workspaceId, options);
    const ids = page.filter(({ opens }) => opens.length > 0).map(({ id }) => id);
    const reopened = await reopenEnded(trx, { ids, statuses: [job.filter.status] });
    return pageResult({ rows, page, pageSize }, reopened.length);
  },

  async count(trx, scope, max) {
    const range = await readRange(trx, scope);
    if (range === undefined) return 0;
    const { filter } = scope;
    const { rows } = await trx.raw(
      `select count(*)::integer as count from (
         select 1 from deliveries where ${indexed(filter)} and ${matching(filter)} limit :max) matched`,
      { ...bindings(scope, range), max },
    );
    return rows[0].count;
  },
};

interface PageRow {
  id: string;
  /** The webhook of the delivery if the delivery matches the filter; otherwise empty. */
  opens: string[];
}

async function readRows(trx: Knex.Transaction, scope: Scope, pageSize: number): Promise<PageRow[]> {
  const read = async (range: IdRange, limit: number) => {
    const { rows } = await trx.raw<{ rows: PageRow[] }>(
      `select id, case when ${matching(scope.filter)} then array[webhook_id::text] else '{}' end as opens
       from deliveries where ${indexed(scope.filter)} order by id desc limit :limit`,
      { ...bindings(scope, range), limit },
    );
    return rows;
  };
  return readPage(trx, scope, { pageSize, read });
}

/**
 * Returns SQL conditions for which an index in the order of the ids exists. PostgreSQL therefore reads the newest rows
 * first, without sorting.
 */
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
