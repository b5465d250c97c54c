/** Part of the initial schema: counts of deliveries, and the health of webhooks. */
export const deliveryStats = `
  -- True for the built-in rules of notices. Their deliveries are not counted in statistics. The ids are constants.
  create function is_notice(alert_rule_id uuid) returns boolean language sql immutable parallel safe
    return alert_rule_id in (
      '480e9723-4847-5368-9e7a-0462eff41855', 'd9597c24-0cad-58e4-abd0-1bfba0af7e6f',
      '0b652603-4976-5235-85b7-5c66aa5cc1ec', '7f268896-cf71-5254-8606-cebd578549dc');

  -- Counts of deliveries by the time at which their alerts were accepted. Each delivery is counted in six rows: minute,
  -- hour and day, each for its webhook and for the whole workspace.
  create table delivery_stats (
    workspace_id uuid not null,
    -- True if the row counts all webhooks of the workspace; webhook_id is zero then.
    is_total boolean not null,
    webhook_id uuid not null,
    -- Length of the step: 1, 60 or 1440 minutes, aligned to UTC.
    step_minutes smallint not null,
    -- Start of the step.
    at timestamptz not null,
    open integer not null,
    succeeded integer not null,
    failed integer not null,
    skipped integer not null,
    attempts integer not null,
    -- Histogram of the latencies of succeeded deliveries. An entry is 256 × count + bucket. Several entries can have
    -- the same bucket; their counts are added.
    latencies bigint[] not null,
    primary key (workspace_id, is_total, step_minutes, webhook_id, at)
  ) with (fillfactor = 70);
  create index delivery_stats_at on delivery_stats (at);

  -- Changes of the counts, inserted by the commits that change deliveries. A maintenance job adds them to
  -- delivery_stats; until then readers add both tables. Inserts do not wait for each other, unlike updates of one
  -- counter row.
  create table delivery_stats_changes (
    workspace_id uuid not null,
    webhook_id uuid not null,
    minute timestamptz not null,
    open integer not null,
    succeeded integer not null,
    failed integer not null,
    skipped integer not null,
    attempts integer not null,
    -- One histogram entry for each delivery that succeeded, with the count 1, or -1 if the delivery is no longer
    -- counted as succeeded.
    latencies bigint[]
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

  -- The first 48 bits of a history id are the Unix time of acceptance in milliseconds. The parameter is the id as bytes
  -- (uuid_send), because casting it to text takes four times as long.
  create function accepted_ms(id bytea) returns bigint language sql immutable parallel safe
    return (get_byte(id, 0)::bigint << 40) + (get_byte(id, 1)::bigint << 32) + (get_byte(id, 2)::bigint << 24)
      + (get_byte(id, 3) << 16) + (get_byte(id, 4) << 8) + get_byte(id, 5);

  -- Number of the bucket of a latency, below 256. Bucket 1 ends at 1.09 ms; every following bucket ends at 2^(1/8),
  -- about 1.09, times the end of the previous one. Bucket 255 has all latencies from 41.8 days on.
  create function latency_bucket(latency_ms double precision) returns smallint language sql immutable parallel safe
    return least(255, 1 + floor(8 * ln(greatest(latency_ms, 1)) / ln(2::double precision)))::smallint;

  -- Adds the counts of equal buckets, so that the result has one entry for each bucket.
  create function merge_latencies(latencies bigint[]) returns bigint[] language sql immutable parallel safe
    return (select coalesce(array_agg(256 * number + bucket), '{}') from (
      select entry & 255 as bucket, sum(entry >> 8)::bigint as number from unnest(latencies) as entry
      group by entry & 255 having sum(entry >> 8) <> 0) as merged);
  create aggregate concat_latencies(bigint[]) (sfunc = array_cat, stype = bigint[], parallel = safe);

  -- The counts are written by triggers, so that every statement that changes deliveries is counted.
  ${countingFunction({ event: 'insert', rows: 'select 1 as sign, * from new_rows' })}
  ${countingFunction({
    event: 'update',
    rows: 'select 1 as sign, * from new_rows union all select -1, * from old_rows',
  })}
  ${countingFunction({ event: 'delete', rows: 'select -1 as sign, * from old_rows' })}
  ${countingTriggers('deliveries')}

  -- Outcome of the last attempt of each webhook. While the outcome stays the same, the row is written at most once a
  -- minute. A foreign key would make a record fail while its webhook is being deleted.
  create table webhook_health (
    webhook_id uuid primary key,
    failing boolean not null,
    -- Time of the first failure after the last success; if not failing, of the first success after the last failure.
    since timestamptz not null,
    last_attempt_at timestamptz not null,
    -- Error of the last failure.
    error_code text,
    error text,
    error_at timestamptz
  ) with (fillfactor = 50);
  create index webhook_health_failing on webhook_health (since) where failing;
`;

/**
 * Returns the SQL of triggers that count the changes of each statement. Such a trigger fires only if the statement
 * names its table, so `deliveries` and each of its partitions have these triggers.
 */
export function countingTriggers(table: string): string {
  const changed = {
    insert: 'new table as new_rows',
    update: 'old table as old_rows new table as new_rows',
    delete: 'old table as old_rows',
  };
  return Object.entries(changed)
    .map(
      ([event, tables]) => `
  create or replace trigger count_after_${event} after ${event} on ${table} referencing ${tables}
    for each statement execute function count_deliveries_after_${event}();`,
    )
    .join('');
}

/**
 * Returns the SQL of a trigger function. It writes the changes of one statement to `delivery_stats_changes`, one row
 * for each webhook and minute.
 */
function countingFunction({ event, rows }: { event: string; rows: string }): string {
  return `
  create function count_deliveries_after_${event}() returns trigger language plpgsql as $$
    begin
      insert into delivery_stats_changes
      select * from (
        select workspace_id, webhook_id, to_timestamp(accepted_ms / 60000 * 60) as minute,
               sum((status = 'open')::integer * sign) as open,
               sum((status = 'succeeded')::integer * sign) as succeeded,
               sum((status = 'failed')::integer * sign) as failed,
               sum((status = 'skipped')::integer * sign) as skipped,
               sum(attempts_made * sign) as attempts,
               array_agg(256::bigint * sign
                         + latency_bucket(date_part('epoch', first_succeeded_at) * 1000 - accepted_ms))
                 filter (where status = 'succeeded' and first_succeeded_at is not null) as latencies
        -- "offset 0" keeps the planner from merging the subqueries, so that each expression is computed once for a row.
        from (select *, accepted_ms(id_bytes)
              from (select sign, workspace_id, webhook_id, status, attempts_made, first_succeeded_at,
                           uuid_send(id) as id_bytes
                    from (${rows}) changed where not is_notice(alert_rule_id) offset 0) with_bytes
              offset 0) with_times
        group by workspace_id, webhook_id, accepted_ms / 60000) counted
      where open <> 0 or succeeded <> 0 or failed <> 0 or skipped <> 0 or attempts <> 0;
      return null;
    end
  $$;`;
}
