import { type Database, ensurePartitions, type SecretBox } from '@tocsin/database';

/** Where the made history stands. The measured workspace has half of it, so that no answer is helped by emptiness. */
export interface History {
  workspaceId: string;
  webhookId: string;
  days: number;
}

const dayMs = 86_400_000;
const partitionDays = 9;

/** Makes the partitions of the past days, as they would have been made then. */
export async function makePastPartitions(database: Database, days: number): Promise<void> {
  for (let back = 0; back <= days + partitionDays; back += partitionDays - 1)
    await ensurePartitions(database, Date.now() - back * dayMs);
}

/**
 * Makes deliveries number `from` to `below`, each with its attempt, spread evenly over the
 * days whatever their number (by the golden ratio): one in a hundred has
 * failed, and one in a hundred is owed still. There are twenty workspaces of ten webhooks; the first has half of all.
 */
export async function makeHistory(
  database: Database,
  { workspaceId, webhookId, days }: History,
  { from, below }: { from: number; below: number },
): Promise<void> {
  const values = { workspaceId, webhookId, from, last: below - 1, spanMs: days * dayMs, nowMs: Date.now() };
  await database.knex.transaction(async (trx) => {
    await trx.raw(
      `create temporary table made on commit drop as
       select n, idOf.id, case when n % 2 = 0 then :workspaceId::uuid
                               else ('00000000-0000-4000-8000-0000000000' || lpad((n / 2 % 19)::text, 2, '0'))::uuid end as workspace_id,
              case when n % 20 = 0 then :webhookId::uuid
                   else ('00000000-0000-4000-9000-00000000' || lpad((n % 200)::text, 4, '0'))::uuid end as webhook_id,
              n % 100 = 50 as failed, n % 100 = 52 or n % 100 = 53 as owed
       from generate_series(:from::bigint, :last::bigint) as n
       cross join lateral (select md5(n::text) as m, lpad(to_hex((:nowMs::float8 - :spanMs::float8 * (n * 0.6180339887498949::float8 - floor(n * 0.6180339887498949::float8)))::bigint), 12, '0') as h) parts
       cross join lateral (select (substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-8' || substr(m, 1, 3) || '-8' || substr(m, 4, 3) || '-' || substr(m, 7, 12))::uuid as id) idOf`,
      values,
    );
    await trx.raw(
      `insert into deliveries (id, workspace_id, alert_id, alert_record_id, alert_rule_id, webhook_id, webhook_name,
                               destination, status, attempts_made, claims, first_succeeded_at, failed_at, status_code,
                               error_code, error)
       select id, workspace_id, id, id, webhook_id, webhook_id, 'bench', 'http://127.0.0.1:9',
              case when owed then 'open' when failed then 'failed' else 'succeeded' end, 1, 1,
              case when not failed and not owed then now() end, case when failed then now() end,
              case when failed then 500 else 200 end, case when failed then 'http_status' end,
              case when failed then 'The destination answered 500.' end
       from made order by id`,
    );
    await trx.raw(
      `insert into attempts (delivery_id, claim, number, trigger, started_at, duration_ms, request_body_sealed,
                             status_code, response)
       select id, 1, 1, 'scheduled', now(), 3, decode(repeat(md5(n::text), 6), 'hex'),
              case when failed then 500 else 200 end, 'ok'
       from made order by id`,
    );
    await trx.raw(
      `insert into open_deliveries (delivery_id, workspace_id, webhook_id, alert_record_id, generation, state, due_at,
                                    opened_at, claim, lease_until)
       select id, workspace_id, webhook_id, id, 1, case when n % 2000 = 52 then 'queued' else 'waiting' end, now(),
              now(), 0, case when n % 2000 = 52 then now() + interval '1 day' end
       from made where owed`,
    );
  });
  await database.knex.raw('vacuum analyze deliveries, attempts, open_deliveries');
  await database.knex.raw('checkpoint');
}

/** Ids of deliveries of the measured workspace from all over the time, their request bodies sealed as the worker does. */
export async function pickDeliveries(
  database: Database,
  secrets: SecretBox,
  { workspaceId, count, total }: { workspaceId: string; count: number; total: number },
): Promise<string[]> {
  const { rows } = await database.knex.raw(
    `select id from (select id, row_number() over (order by id) as place from deliveries where workspace_id = ?) numbered
     where place % ? = 1 limit ?`,
    [workspaceId, Math.max(2, Math.floor(total / 2 / count)), count],
  );
  const ids: string[] = rows.map((row: { id: string }) => row.id);
  for (const id of ids) {
    const body = secrets.seal('{"made":true}', { table: 'attempts', id: `${id}/1`, column: 'request_body' });
    await database.knex('attempts').where({ delivery_id: id }).update({ request_body_sealed: body });
  }
  return ids;
}

/** Nothing made may be owed still when a worker starts. */
export async function dropHistory(database: Database): Promise<void> {
  await database.knex.raw('truncate deliveries, attempts, open_deliveries');
}

/** From now on, new connections write the plan of each statement to the server's log. */
export async function explainEverything(database: Database, on: boolean): Promise<void> {
  const settings = on
    ? [
        `session_preload_libraries = 'auto_explain'`,
        'auto_explain.log_min_duration = 0',
        'auto_explain.log_analyze = on',
        'auto_explain.log_buffers = on',
      ]
    : ['session_preload_libraries = default', 'auto_explain.log_min_duration = default'];
  for (const setting of settings) await database.knex.raw(`alter system set ${setting}`);
  await database.knex.raw('select pg_reload_conf()');
}
