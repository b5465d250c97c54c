import { type DispatchFilter, dispatchableOutcomes } from '@tocsin/contracts';
import type { Knex } from 'knex';
import {
  type AlertRow,
  alertColumns,
  dispatchAlerts,
  type PlannedDispatch,
  planDispatches,
} from './dispatch-repository.js';
import type { IdRange } from './history-reader.js';
import { type JobScope, type JobWork, pageResult, readPage, readRange, takeBelowHalfOfLimit } from './job.js';

type Scope = JobScope<DispatchFilter>;

/** Dispatches alerts by hand. Alerts whose rule is disabled or deleted, or has no webhook now, are left unchanged. */
export const dispatchWork: JobWork<DispatchFilter> = {
  async runPage(trx, job, options) {
    const { pageSize } = options;
    const rows = await withPlans(trx, await readRows(trx, job, pageSize));
    const page = await takeBelowHalfOfLimit(rows, job.workspaceId, options);
    const plans = page.map(({ plan }) => plan).filter((plan) => plan !== undefined);
    const dispatched = plans.length === 0 ? [] : await dispatchAlerts(trx, plans, job.createdBy);
    return pageResult({ rows, page, pageSize }, dispatched.length);
  },

  async count(trx, scope, max) {
    const range = await readRange(trx, scope);
    if (range === undefined) return 0;
    const { rows } = await trx.raw(
      `select count(*)::integer as count from (
         select 1 from alerts where ${inRange} and ${matching(scope.filter)} limit :max) matched`,
      { ...bindings(scope, range), max },
    );
    return rows[0].count;
  },
};

interface PageRow extends AlertRow {
  matches: boolean;
}

async function readRows(trx: Knex.Transaction, scope: Scope, pageSize: number): Promise<PageRow[]> {
  const read = async (range: IdRange, limit: number) => {
    const { rows } = await trx.raw<{ rows: PageRow[] }>(
      `select ${alertColumns}, ${matching(scope.filter)} as matches from alerts
       where ${inRange} order by id desc limit :limit`,
      { ...bindings(scope, range), limit },
    );
    return rows;
  };
  return readPage(trx, scope, { pageSize, read });
}

interface PlannedRow {
  id: string;
  plan: PlannedDispatch | undefined;
  opens: string[];
}

async function withPlans(trx: Knex.Transaction, rows: PageRow[]): Promise<PlannedRow[]> {
  const matches = rows.filter((row) => row.matches);
  const planned = await planDispatches(trx, matches);
  const byId = new Map<string, PlannedDispatch>();
  for (const plan of planned) if (plan.kind === 'dispatch') byId.set(plan.alert.id, plan);
  return rows.map(({ id }) => {
    const plan = byId.get(id);
    const opens = plan?.webhooks.filter(({ exists }) => exists).map(({ webhookId }) => webhookId) ?? [];
    return { id, plan, opens };
  });
}

const inRange = 'workspace_id = :workspaceId and id >= cast(:from as uuid) and id < cast(:below as uuid)';

function matching({ alert_rule_id }: DispatchFilter): string {
  const ofRule = alert_rule_id === undefined ? '' : ' and alert_rule_id = :alertRuleId';
  return `(outcome = any(cast(:outcomes as text[]))${ofRule})`;
}

function bindings({ workspaceId, filter }: Scope, { from, below }: IdRange) {
  return {
    workspaceId,
    outcomes: filter.outcome === undefined ? [...dispatchableOutcomes] : [filter.outcome],
    alertRuleId: filter.alert_rule_id ?? null,
    from,
    below,
  };
}
