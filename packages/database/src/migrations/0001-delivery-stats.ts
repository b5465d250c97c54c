/** Part of the initial schema: counts of deliveries, and the health of webhooks. */
export const deliveryStats = `
  -- True for the built-in rules of notices, which count in no statistic. The ids are fixed.
  create function is_notice(alert_rule_id uuid) returns boolean language sql immutable parallel safe
    return alert_rule_id in (
      '480e9723-4847-5368-9e7a-0462eff41855', 'd9597c24-0cad-58e4-abd0-1bfba0af7e6f',
      '0b652603-4976-5235-85b7-5c66aa5cc1ec', '7f268896-cf71-5254-8606-cebd578549dc');

  -- Counts of deliveries by the time of their alerts' acceptance. Each delivery counts in six rows: those of its minute, hour
  -- and day, for its webhook and for all webhooks of its workspace.
  create table delivery_stats (
    workspace_id uuid not null,
    -- True: the row counts all webhooks, and its webhook_id is zero.
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
    -- Histogram of the latencies of the succeeded deliveries: numbers of the buckets that are not empty, and their counts.
    latency_buckets smallint[] not null,
    latency_counts integer[] not null,
    primary key (workspace_id, is_total, step_minutes, webhook_id, at)
  ) with (fillfactor = 70);
  create index delivery_stats_at on delivery_stats using brin (at);

  -- Changes of the counts, written by the commits that change deliveries and added to delivery_stats by a maintenance job. No
  -- commit waits for a row of another one, as two updates of one counter would. Readers add both tables up.
  create table delivery_stats_changes (
    workspace_id uuid not null,
    webhook_id uuid not null,
    minute timestamptz not null,
    open integer not null,
    succeeded integer not null,
    failed integer not null,
    skipped integer not null,
    attempts integer not null,
    -- Latency buckets of deliveries that succeeded; negative for deliveries that no longer count as succeeded.
    latencies smallint[]
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

  -- The first 48 bits of an id of the history are the Unix milliseconds of its acceptance. Bytes are read, because a cast of
  -- the id's text takes four times as long.
  create function accepted_ms(id uuid) returns bigint language sql immutable parallel safe
    return (get_byte(uuid_send(id), 0)::bigint << 40) + (get_byte(uuid_send(id), 1)::bigint << 32)
      + (get_byte(uuid_send(id), 2)::bigint << 24) + (get_byte(uuid_send(id), 3) << 16)
      + (get_byte(uuid_send(id), 4) << 8) + get_byte(uuid_send(id), 5);

  -- Number of a latency's bucket. Bucket 1 ends at 1.09 ms; each further one ends at 2^(1/8), 1.09 times, the end before.
  create function latency_bucket(latency_ms double precision) returns smallint language sql immutable parallel safe
    return (1 + floor(8 * ln(greatest(latency_ms, 1)) / ln(2::double precision)))::smallint;

  -- Triggers, so that no statement that changes deliveries can miss the counts.
  ${countingTrigger({ event: 'insert', tables: 'new table as new_rows', rows: 'select 1 as sign, * from new_rows' })}
  ${countingTrigger({
    event: 'update',
    tables: 'old table as old_rows new table as new_rows',
    rows: 'select 1 as sign, * from new_rows union all select -1, * from old_rows',
  })}
  ${countingTrigger({ event: 'delete', tables: 'old table as old_rows', rows: 'select -1 as sign, * from old_rows' })}

  -- Outcome of the last attempt of each webhook. Equal outcomes in a row are written once a minute. No foreign key: a record
  -- must not fail because the webhook is being deleted.
  create table webhook_health (
    webhook_id uuid primary key,
    failing boolean not null,
    -- The first failure after the last success; if not failing, the first success after the last failure.
    since timestamptz not null,
    last_attempt_at timestamptz not null,
    -- The last failure.
    error_code text,
    error text,
    error_at timestamptz
  ) with (fillfactor = 50);
  create index webhook_health_failing on webhook_health (since) where failing;
`;

/** A trigger that writes the changes of one statement: one row for each webhook and minute. */
function countingTrigger({ event, tables, rows }: { event: string; tables: string; rows: string }): string {
  return `
  create function count_deliveries_after_${event}() returns trigger language plpgsql as $$
    begin
      insert into delivery_stats_changes
      select * from (
        select workspace_id, webhook_id, to_timestamp(accepted_ms(id) / 60000 * 60) as minute,
               sum((status = 'open')::integer * sign) as open,
               sum((status = 'succeeded')::integer * sign) as succeeded,
               sum((status = 'failed')::integer * sign) as failed,
               sum((status = 'skipped')::integer * sign) as skipped,
               sum(attempts_made * sign) as attempts,
               array_agg(sign * latency_bucket(date_part('epoch', first_succeeded_at) * 1000 - accepted_ms(id)))
                 filter (where status = 'succeeded' and first_succeeded_at is not null) as latencies
        from (${rows}) changed
        where not is_notice(alert_rule_id)
        group by workspace_id, webhook_id, minute) counted
      where open <> 0 or succeeded <> 0 or failed <> 0 or skipped <> 0 or attempts <> 0;
      return null;
    end
  $$;
  create trigger count_after_${event} after ${event} on deliveries referencing ${tables}
    for each statement execute function count_deliveries_after_${event}();`;
}
