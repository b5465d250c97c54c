import { type Database, ensurePartitions, type Transaction } from '@tocsin/database';
import { applyStatsChanges } from '@tocsin/deliveries';

/** A generated history. The measured workspace, `workspaceId`, has half of the deliveries. */
export interface History {
  workspaceId: string;
  webhookId: string;
  /** Webhook of the 30 oldest deliveries of the measured workspace. It has no other deliveries. */
  inactiveWebhookId: string;
  deliveries: number;
  days: number;
}

/**
 * Writes deliveries that are spread evenly over the days up to now. Each delivery has one attempt, and only every third
 * delivery has a row in `alerts`. 1 % of the deliveries have failed, and 2 % are open. The measured workspace has half
 * of the deliveries, and a tenth of these belong to `webhookId`. Nineteen other workspaces share the other half. Two
 * days at a time are written in parallel.
 */
export async function fillHistory(database: Database, history: History): Promise<void> {
  const nowMs = Date.now();
  for (let back = 0; back <= history.days + partitionDays; back += partitionDays - 1)
    await ensurePartitions(database, nowMs - back * dayMs);
  const remaining = daysOf(history, nowMs);
  const fill = async () => {
    for (let day = remaining.shift(); day !== undefined; day = remaining.shift())
      await fillDay(database, history, day);
  };
  await Promise.all([fill(), fill()]);
  let moreChanges = true;
  while (moreChanges) moreChanges = await applyStatsChanges(database);
  await database.knex.raw('vacuum analyze delivery_stats, delivery_stats_changes');
  await database.knex.raw('vacuum analyze open_deliveries');
  await database.knex.raw('analyze alerts, deliveries, attempts');
  await database.knex.raw('checkpoint');
}

const dayMs = 86_400_000;
/** Number of days for which one call of `ensurePartitions` creates partitions. */
const partitionDays = 9;

/**
 * The deliveries of one day: those with the numbers `from` to `last`. The numbers continue from day to day. Number 0 is
 * at the start of the history (`startMs`). The alert of delivery n was accepted at the Unix time
 * `startMs + n * stepMs`, in milliseconds.
 */
interface Day {
  /** Suffix of the partition names of this day. */
  name: string;
  from: number;
  last: number;
  startMs: number;
  stepMs: number;
}

function daysOf({ days, deliveries }: History, nowMs: number): Day[] {
  const startMs = nowMs - days * dayMs;
  const stepMs = (nowMs - startMs) / deliveries;
  const firstAt = (atMs: number) => Math.min(deliveries, Math.max(0, Math.ceil((atMs - startMs) / stepMs)));
  const firstDay = Math.floor(startMs / dayMs);
  return Array.from({ length: days + 1 }, (_, day) => (firstDay + day) * dayMs).map((dayStartMs) => ({
    name: new Date(dayStartMs).toISOString().slice(0, 10).replaceAll('-', ''),
    from: firstAt(dayStartMs),
    last: firstAt(dayStartMs + dayMs) - 1,
    startMs,
    stepMs,
  }));
}

/**
 * Writes the rows of one day in the order of their times, which is also the order in which workers write rows. Then
 * vacuums the tables, because autovacuum would do this in production.
 */
async function fillDay(database: Database, history: History, day: Day): Promise<void> {
  const tables = ['alerts', 'deliveries', 'attempts'].map((table) => `${table}_${day.name}`).join(', ');
  await database.knex.transaction(async (trx) => {
    await trx.raw('set local synchronous_commit = off');
    // With `wal_level = minimal`, inserting into a table that was truncated in the same transaction writes no
    // write-ahead log.
    await trx.raw(`truncate ${tables}`);
    await createDeliveryNumbers(trx, history, day);
    for (const statement of [alerts, deliveries, attempts]) await trx.raw(statement(day.name));
    await trx.raw(openDeliveries);
  });
  await database.knex.raw(`vacuum analyze ${tables}`);
}

/**
 * Number of deliveries of the inactive webhook. It is below the page size of 50, so a list query has to search the
 * whole history.
 */
const inactiveWebhookDeliveries = 30;

async function createDeliveryNumbers(
  trx: Transaction,
  { workspaceId, webhookId, inactiveWebhookId }: History,
  { from, last, startMs, stepMs }: Day,
): Promise<void> {
  await trx.raw(
    `create temporary table numbered on commit drop as
     select n, (lpad(to_hex((:startMs::float8 + n * :stepMs::float8)::bigint), 12, '0') || '8' || substr(m, 1, 3) ||
                '8' || substr(m, 4, 15))::uuid as id,
            case when n % 2 = 0 then :workspaceId::uuid else workspaces[n / 2 % 19 + 1] end as workspace_id,
            case when n % 2 = 0 and n < :inactiveBelow then :inactiveWebhookId::uuid
                 when n % 20 = 0 then :webhookId::uuid else webhooks[n % 200 + 1] end as webhook_id,
            n % 100 = 50 as failed, n % 100 = 52 or n % 100 = 53 as is_open
     from generate_series(:from::bigint, :last::bigint) as n
     cross join lateral (select md5(n::text) as m) hashed
     cross join (select array_agg(('00000000-0000-4000-8000-0000000000' || lpad(w::text, 2, '0'))::uuid order by w)
                 as workspaces from generate_series(0, 18) as w) of_workspaces
     cross join (select array_agg(('00000000-0000-4000-9000-00000000' || lpad(w::text, 4, '0'))::uuid order by w)
                 as webhooks from generate_series(0, 199) as w) of_webhooks`,
    {
      ...{ workspaceId, webhookId, inactiveWebhookId, inactiveBelow: 2 * inactiveWebhookDeliveries },
      ...{ from, last, startMs, stepMs },
    },
  );
}

const alerts = (day: string) => `
  insert into alerts_${day} (id, workspace_id, alert_id, accepted_at, fired_at, alert_rule_id, alert_rule_name, model_id,
                             model_name, metric_value, threshold, bound, outcome)
  select id, workspace_id, id, now(), '2025-01-31T12:00:00Z', webhook_id, 'bench', webhook_id, 'bench', 0.5, 0.4,
         'upper_bound', 'dispatched'
  from numbered where n % 3 = 0`;

/**
 * Inserts into the partitioned table and not into a partition, because the triggers of the partitioned table count the
 * deliveries.
 */
const deliveries = () => `
  insert into deliveries (id, workspace_id, alert_id, alert_record_id, alert_rule_id, webhook_id, webhook_name,
                          destination, status, attempts_made, claims, first_succeeded_at, failed_at, status_code,
                          error_code, error)
  select id, workspace_id, id, id, webhook_id, webhook_id, 'bench', 'http://127.0.0.1:9',
         case when is_open then 'open' when failed then 'failed' else 'succeeded' end, 1, 1,
         case when not failed and not is_open then now() end, case when failed then now() end,
         case when failed then 500 else 200 end, case when failed then 'http_status' end,
         case when failed then 'The destination returned 500.' end
  from numbered`;

const attempts = (day: string) => `
  insert into attempts_${day} (delivery_id, claim, number, trigger, started_at, duration_ms, destination,
                               exchange_encrypted, status_code)
  select id, 1, 1, 'scheduled', now(), 3, 'http://127.0.0.1:9', decode(repeat(md5(n::text), 7), 'hex'),
         case when failed then 500 else 200 end
  from numbered`;

const openDeliveries = `
  insert into open_deliveries (delivery_id, workspace_id, webhook_id, alert_record_id, run, state, due_at,
                               opened_at, claim, lease_until)
  select id, workspace_id, webhook_id, id, 1, case when n % 2000 = 52 then 'queued' else 'waiting' end, now(), now(), 0,
         case when n % 2000 = 52 then now() + interval '1 day' end
  from numbered where is_open`;
