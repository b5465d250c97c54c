import type { DeliveryErrorCode, DeliveryStatus } from '@tocsin/contracts';
import { type Database, readWithTimeout, type Transaction } from '@tocsin/database';
import { type IdRange, narrowToAlert, readNewestFirst } from '@tocsin/deliveries';
import { searchTimeoutMs } from '../lists/searches.js';

export interface StoredDelivery {
  id: string;
  workspaceId: string;
  alertId: string;
  alertRuleId: string;
  webhookId: string;
  webhookName: string;
  destination: string;
  status: DeliveryStatus;
  attemptsMade: number;
  /** Set while waiting; not before its webhook's hold ends. */
  dueAt: Date | null;
  firstSucceededAt: Date | null;
  errorCode: DeliveryErrorCode | null;
  error: string | null;
  /** Of the last attempt; null where there was none, or no HTTP answer came. */
  response: { statusCode: number; text: string; truncated: boolean } | null;
  /** Of a list: this row does not fit into the page's budget of bytes, and its answer was left out. */
  beyondBudget: boolean;
}

interface DeliveryQuery {
  workspaceId: string;
  range: IdRange;
  filter: DeliveryFilter;
  limit: number;
}

interface DeliveryFilter {
  webhook_id?: string | undefined;
  alert_id?: string | undefined;
  alert_rule_id?: string | undefined;
  status?: DeliveryStatus | undefined;
  status_code?: number | undefined;
}

export interface DeliveriesReader {
  /** Newest first. Answers are read until they come to 4 MiB: the rows behind are marked, and begin the next page. */
  list(query: DeliveryQuery): Promise<StoredDelivery[]>;
  find(id: string): Promise<StoredDelivery | undefined>;
}

export function createDeliveriesReader(database: Database): DeliveriesReader {
  return {
    list: (query) =>
      readWithTimeout(database, searchTimeoutMs, async (trx, goOn) => {
        const ids = await findPage(trx, query, goOn);
        if (ids.length === 0) return [];
        const { rows } = await trx.raw<{ rows: DeliveryRow[] }>(showPage, { ids, answerBytes });
        return rows.map(toDelivery);
      }),

    async find(id) {
      const [row] = await database.prepared<DeliveryRow>(findById, [id]);
      return row && toDelivery(row);
    },
  };
}

const answerBytes = 4 * 1_048_576;

/** Ids of the newest deliveries that match. */
async function findPage(
  trx: Transaction,
  { workspaceId, range: asked, filter, limit }: DeliveryQuery,
  goOn: () => Promise<void>,
): Promise<string[]> {
  const { alert_id: alertId } = filter;
  const range =
    alertId === undefined ? asked : await narrowToAlert(trx, { workspaceId, alertId, range: asked });
  if (range === undefined) return [];
  const find = async (window: IdRange, count: number): Promise<string[]> => {
    const { rows } = await trx.raw<{ rows: { id: string }[] }>(
      isOpen(filter.status) ? openPage(filter) : historyPage(filter),
      { ...bindings(filter), workspaceId, ...window, limit: count },
    );
    await goOn();
    return rows.map(({ id }) => id);
  };
  // What is open is not partitioned: no window of it costs less than all.
  if (isOpen(filter.status)) return find(range, limit);
  return readNewestFirst({ range, limit, nowMs: Date.now() }, find);
}

/** What is open is few beside all history: it is looked for where it stands, not by looking through history. */
function isOpen(status: DeliveryStatus | undefined): boolean {
  return status === 'waiting' || status === 'queued' || status === 'sending';
}

function openPage({ status, webhook_id, ...filter }: DeliveryFilter): string {
  const state =
    status === 'waiting'
      ? `o.state = 'waiting'`
      : `o.state = 'queued' and o.claimed = ${status === 'sending'}`;
  const ofHistory = conditions(filter);
  // A storm leaves millions waiting: their history is only read where the filter asks about it.
  const join = ofHistory === '' ? '' : 'join deliveries d on d.id = o.delivery_id';
  return `select o.delivery_id as id from open_deliveries o ${join}
    where o.workspace_id = :workspaceId and o.delivery_id >= :from and o.delivery_id < :below and ${state}
      ${webhook_id === undefined ? '' : 'and o.webhook_id = :webhookId'} ${ofHistory}
    order by o.delivery_id desc limit :limit`;
}

function historyPage(filter: DeliveryFilter): string {
  return `select d.id from deliveries d
    where d.workspace_id = :workspaceId and d.id >= :from and d.id < :below ${conditions(filter)}
    order by d.id desc limit :limit`;
}

function conditions({ webhook_id, alert_id, alert_rule_id, status, status_code }: DeliveryFilter): string {
  return [
    ...(webhook_id === undefined ? [] : ['and d.webhook_id = :webhookId']),
    ...(alert_id === undefined ? [] : ['and d.alert_id = :alertId']),
    ...(alert_rule_id === undefined ? [] : ['and d.alert_rule_id = :alertRuleId']),
    // Failed is what has `failed_at`, as the index of the failed says it. Both conditions together look so rare to the
    // planner that it would read and sort every failed row of the workspace.
    ...(status === undefined
      ? []
      : [status === 'failed' ? 'and d.failed_at is not null' : 'and d.status = :status']),
    ...(status_code === undefined ? [] : ['and d.status_code = :statusCode']),
  ].join(' ');
}

function bindings({ webhook_id, alert_id, alert_rule_id, status, status_code }: DeliveryFilter) {
  return {
    webhookId: webhook_id ?? null,
    alertId: alert_id ?? null,
    alertRuleId: alert_rule_id ?? null,
    status: status ?? null,
    statusCode: status_code ?? null,
  };
}

const columns = `d.id, d.workspace_id, d.alert_id, d.alert_rule_id, d.webhook_id, d.webhook_name, d.destination,
  case when d.status <> 'open' then d.status when o.state = 'waiting' then 'waiting' when o.claimed then 'sending'
       else 'queued' end as status,
  d.attempts_made, case when o.state = 'waiting' then greatest(o.due_at, p.paused_until) end as due_at, d.first_succeeded_at, d.error_code,
  d.error, last.status_code as answer_status, last.response, last.response_truncated`;

// The ids twice, or a planner that takes what is owed for nothing would read all of it: docs/adr/0007.
const withWhatIsOwed = (ids: string) => `deliveries d
  left join open_deliveries o on o.delivery_id = d.id and o.delivery_id = any(${ids})
  left join webhook_pauses p on p.webhook_id = o.webhook_id`;

// Each table is told the ids themselves: those alone decide which partitions are opened.
const showPage = `
  with shown as (
    select ${columns}, row_number() over newest > 1 and
      sum(coalesce(octet_length(last.response), 0)) over newest > :answerBytes as beyond_budget
    from ${withWhatIsOwed('cast(:ids as uuid[])')}
    left join (
      select distinct on (a.delivery_id) a.delivery_id, a.status_code, a.response, a.response_truncated
      from attempts a where a.delivery_id = any(cast(:ids as uuid[]))
      order by a.delivery_id, a.number desc) last on last.delivery_id = d.id
    where d.id = any(cast(:ids as uuid[]))
    window newest as (order by d.id desc)
  )
  select id, workspace_id, alert_id, alert_rule_id, webhook_id, webhook_name, destination, status,
    attempts_made, due_at, first_succeeded_at, error_code, error, answer_status,
    case when beyond_budget then null else response end as response, response_truncated, beyond_budget
  from shown order by id desc`;

const findById = {
  name: 'deliveries.find',
  text: `select ${columns}, false as beyond_budget from ${withWhatIsOwed('array[$1::uuid]')}
         left join lateral (
           select a.status_code, a.response, a.response_truncated from attempts a
           where a.delivery_id = d.id order by a.number desc limit 1) last on true
         where d.id = $1`,
};

interface DeliveryRow {
  id: string;
  workspace_id: string;
  alert_id: string;
  alert_rule_id: string;
  webhook_id: string;
  webhook_name: string;
  destination: string;
  status: DeliveryStatus;
  attempts_made: number;
  due_at: Date | null;
  first_succeeded_at: Date | null;
  error_code: DeliveryErrorCode | null;
  error: string | null;
  answer_status: number | null;
  response: string | null;
  response_truncated: boolean | null;
  beyond_budget: boolean;
}

function toDelivery(row: DeliveryRow): StoredDelivery {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    alertId: row.alert_id,
    alertRuleId: row.alert_rule_id,
    webhookId: row.webhook_id,
    webhookName: row.webhook_name,
    destination: row.destination,
    status: row.status,
    attemptsMade: row.attempts_made,
    dueAt: row.due_at,
    firstSucceededAt: row.first_succeeded_at,
    errorCode: row.error_code,
    error: row.error,
    response:
      row.answer_status === null
        ? null
        : {
            statusCode: row.answer_status,
            text: row.response ?? '',
            truncated: row.response_truncated ?? false,
          },
    beyondBudget: row.beyond_budget,
  };
}
