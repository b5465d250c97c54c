import type { DeliveryErrorCode, DeliveryStatus, WaitingReason } from '@tocsin/contracts';
import { type Database, readWithTimeout } from '@tocsin/database';
import type { Knex } from 'knex';
import { maxPageBytes } from '../lists/paging.js';
import { searchTimeoutMs } from '../lists/read-limiter.js';
import { countDeliveries, type DeliverySearch, findDeliveries, isRecentSearch } from './delivery-search.js';
import { type StatusColumns, toDeliveryStatus } from './delivery-status.js';

/**
 * The result of an attempt: the status code of the response, and the encrypted content of request and response.
 * The status code is null if there was no response.
 */
export interface StoredContent {
  /** Number of the claim in which the attempt was made; null if there was no attempt. */
  claim: number | null;
  statusCode: number | null;
  /** Encrypted content of the attempt; null if there was no attempt. */
  contentEncrypted: Buffer | null;
  responseTruncated: boolean | null;
}

/** A delivery with the encrypted request and response of its last attempt. */
export interface StoredDelivery extends StoredContent {
  id: string;
  workspaceId: string;
  alertId: string;
  alertRuleId: string;
  webhookId: string;
  webhookName: string;
  destination: string;
  status: DeliveryStatus;
  attemptsMade: number;
  /** Time of the next attempt, set only while the delivery waits. It is never before the end of the webhook's pause. */
  dueAt: Date | null;
  waitingReason: WaitingReason | null;
  firstSucceededAt: Date | null;
  errorCode: DeliveryErrorCode | null;
  error: string | null;
  /** True if attempts were removed because they exceeded their retention. */
  attemptsExpired: boolean;
  /** Encrypted rendered text of a body that was not JSON; null for other deliveries. */
  renderedEncrypted: Buffer | null;
  /** True if the row is in a list and exceeds the byte limit of its page. The content of such a row is not read. */
  beyondBudget: boolean;
}

export interface DeliveriesReader {
  /**
   * Lists deliveries, newest first, with up to 4 MiB of encrypted content. Rows above this limit are marked
   * `beyondBudget`.
   */
  list(search: DeliverySearch & { limit: number }): Promise<StoredDelivery[]>;
  /** Counts deliveries, up to `max`. */
  count(search: DeliverySearch, max: number): Promise<number>;
  find(id: string): Promise<StoredDelivery | undefined>;
}

export function createDeliveriesReader(database: Database): DeliveriesReader {
  return {
    async list({ limit, ...search }) {
      // Each browser tab that shows the list searches the last day every 5 s. A search of the last day runs only one
      // statement, to save round trips to the database.
      if (isRecentSearch(search)) return readRecentPage(database, search, limit);
      return readWithTimeout(database, searchTimeoutMs, async (trx, beforeNext) => {
        const ids = await findDeliveries({ ...search, trx, beforeNext }, limit);
        return ids.length === 0 ? [] : readPage(trx, ids);
      });
    },

    count: (search, max) =>
      readWithTimeout(database, searchTimeoutMs, (trx, beforeNext) =>
        countDeliveries({ ...search, trx, beforeNext }, max),
      ),

    async find(id) {
      const [row] = await database.prepared<DeliveryRow>(findById, [id]);
      return row && toDelivery(row);
    },
  };
}

const columns = `d.id, d.workspace_id as "workspaceId", d.alert_id as "alertId", d.alert_rule_id as "alertRuleId",
  d.webhook_id as "webhookId", d.webhook_name as "webhookName", d.destination, d.status as "recordedStatus", o.state,
  o.claimed_by is not null as claimed, d.attempts_made as "attemptsMade",
  case when o.state = 'waiting' then greatest(o.due_at, p.paused_until) end as "dueAt",
  case when o.state = 'waiting' then
    case when p.paused_until > now() then 'paused'
         when l.next_at > now() and o.due_at <= now() then 'rate_limit'
         -- The pause has ended, or the retry or a request of the rate limit is due, but the delivery is not queued yet.
         when o.waiting_reason = 'paused' or o.waiting_reason in ('retry', 'rate_limit') and o.due_at <= now()
           then 'backlog'
         else o.waiting_reason end end as "waitingReason",
  d.first_succeeded_at as "firstSucceededAt", d.error_code as "errorCode", d.error,
  -- Attempts are numbered from 1 and removed from the oldest. A first number above 1 therefore means that some were
  -- removed.
  d.attempts_made > 0 and coalesce(last.first_number, 2) > 1 as "attemptsExpired",
  d.rendered_encrypted as "renderedEncrypted", last.claim, last.status_code as "statusCode",
  last.exchange_encrypted as "contentEncrypted", last.response_truncated as "responseTruncated"`;

// The condition on the ids is repeated for open_deliveries. Without the second condition, PostgreSQL can reuse a plan
// from a time when that table was small, and read the whole table.
const deliveriesWithState = (ids: string) => `deliveries d
  left join open_deliveries o on o.delivery_id = d.id and o.delivery_id = any(${ids})
  left join webhook_pauses p on p.webhook_id = o.webhook_id
  left join webhook_rate_limits l on l.webhook_id = o.webhook_id`;

/**
 * Reads deliveries by their ids. Ids start with the time of acceptance, and each partition has the ids of one day. The
 * ids are passed as constants, so that PostgreSQL can skip the partitions of other days.
 */
async function readPage(knex: Knex, ids: string[]): Promise<StoredDelivery[]> {
  const { rows } = await knex.raw<{ rows: DeliveryRow[] }>(pageByIds, { ids, maxBytes: maxPageBytes });
  return rows.map(toDelivery);
}

async function readRecentPage(
  database: Database,
  { workspaceId, range, filter }: DeliverySearch,
  limit: number,
): Promise<StoredDelivery[]> {
  const { webhook_id, alert_rule_id, status, status_code, error_code } = filter;
  const values = [
    workspaceId,
    range.from,
    range.below,
    limit,
    maxPageBytes,
    webhook_id ?? null,
    alert_rule_id ?? null,
    status ?? null,
    status_code ?? null,
    error_code ?? null,
  ];
  return (await database.planned<DeliveryRow>(readRecent, values)).map(toDelivery);
}

interface PageSql {
  /** SQL expression for the array of the ids of the page. */
  ids: string;
  /** SQL parameter with the maximum number of bytes of the encrypted content of the page. */
  maxBytes: string;
  /**
   * Returns an SQL condition that limits the given column of delivery ids to the range of the search, so that
   * PostgreSQL can skip partitions outside of this range.
   */
  inRange?: (column: string) => string;
}

const pageOf = ({ ids, maxBytes, inRange = () => '' }: PageSql) => `
  select id, "workspaceId", "alertId", "alertRuleId", "webhookId", "webhookName", destination, "recordedStatus", state,
    claimed, "attemptsMade", "dueAt", "waitingReason", "firstSucceededAt", "errorCode", error, "attemptsExpired",
    case when "beyondBudget" then null else "renderedEncrypted" end as "renderedEncrypted", claim, "statusCode",
    case when "beyondBudget" then null else "contentEncrypted" end as "contentEncrypted", "responseTruncated",
    "beyondBudget"
  from (
    select ${columns}, row_number() over newest > 1 and
      sum(coalesce(octet_length(last.exchange_encrypted), 0) + coalesce(octet_length(d.rendered_encrypted), 0))
        over newest > ${maxBytes} as "beyondBudget"
    from ${deliveriesWithState(ids)}
    left join (
      select distinct on (a.delivery_id) a.delivery_id, a.claim, a.status_code, a.exchange_encrypted,
        a.response_truncated, min(a.number) over (partition by a.delivery_id) as first_number
      from attempts a where a.delivery_id = any(${ids}) ${inRange('a.delivery_id')}
      order by a.delivery_id, a.number desc) last on last.delivery_id = d.id
    where d.id = any(${ids}) ${inRange('d.id')}
    window newest as (order by d.id desc)
  ) as found order by id desc`;

const pageByIds = pageOf({ ids: 'cast(:ids as uuid[])', maxBytes: ':maxBytes' });

// PostgreSQL plans this statement with the values of each search. The plan omits the conditions of filters that are
// null, and the partitions outside of the range. Failed deliveries are selected by `failed_at`, because this column has
// an index.
const readRecent = `
  with page as (
    select d.id from deliveries d
    where d.workspace_id = $1 and d.id >= $2 and d.id < $3
      and ($6::uuid is null or d.webhook_id = $6) and ($7::uuid is null or d.alert_rule_id = $7)
      and ($8::text is null or case when $8 = 'failed' then d.failed_at is not null else d.status = $8 end)
      and ($9::integer is null or d.status_code = $9) and ($10::text is null or d.error_code = $10)
    order by d.id desc limit $4)
  ${pageOf({
    ids: 'array(select id from page)',
    maxBytes: '$5',
    inRange: (column) => `and ${column} >= $2 and ${column} < $3`,
  })}`;

const findById = {
  name: 'deliveries.find',
  text: `select ${columns}, false as "beyondBudget" from ${deliveriesWithState('array[$1::uuid]')}
         left join lateral (
           select a.claim, a.status_code, a.exchange_encrypted, a.response_truncated,
             min(a.number) over () as first_number
           from attempts a where a.delivery_id = d.id order by a.number desc limit 1) last on true
         where d.id = $1`,
};

type DeliveryRow = Omit<StoredDelivery, 'status'> & StatusColumns;

function toDelivery({ recordedStatus, state, claimed, ...row }: DeliveryRow): StoredDelivery {
  return { ...row, status: toDeliveryStatus({ recordedStatus, state, claimed }) };
}
