import type { Database } from '@tocsin/database';

/** Rows of one call: about 0.2 s of the database. Readers add up the rows that are left. */
const maxChanges = 20_000;

/**
 * Adds up to 20,000 changes of the counts of deliveries to `delivery_stats`, in one commit. True if more are left. While
 * another process does the same, it changes nothing.
 */
export async function applyStatsChanges({ knex }: Database): Promise<boolean> {
  return knex.transaction(async (trx) => {
    const locks = await trx.raw(`select pg_try_advisory_xact_lock(hashtext('tocsin.stats')) as ours`);
    if (!locks.rows[0].ours) return false;
    // The changes have no index, so that writing them is cheap; sessions with `plansByKey` have switched table scans off.
    await trx.raw('set local enable_seqscan = on; set local plan_cache_mode = force_custom_plan');
    const { rows } = await trx.raw(apply);
    return rows[0].changes === maxChanges;
  });
}

/** `webhook_id` of the rows that count all webhooks of a workspace. */
export const allWebhooks = '00000000-0000-0000-0000-000000000000';

// Rows are written in the order of their keys. A minute of a webhook is added to six rows: see the schema.
const apply = `
  with changes as materialized (
    delete from delivery_stats_changes
    where ctid = any(array(select ctid from delivery_stats_changes limit ${maxChanges}))
    returning *
  ), minutes as (
    select workspace_id, webhook_id, minute, sum(open) as open, sum(succeeded) as succeeded, sum(failed) as failed,
           sum(skipped) as skipped, sum(attempts) as attempts
    from changes group by workspace_id, webhook_id, minute
  ), latency_minutes as (
    select workspace_id, webhook_id, minute, abs(latency) as bucket, sum(sign(latency)::integer) as number
    from changes cross join unnest(latencies) as latency
    group by workspace_id, webhook_id, minute, bucket
  ), scopes as (
    select is_total, step_minutes, step
    from (values (false), (true)) as t(is_total)
    cross join (values (1, 'minute'), (60, 'hour'), (1440, 'day')) as s(step_minutes, step)
  ), counts as (
    select workspace_id, is_total, case when is_total then '${allWebhooks}'::uuid else webhook_id end as webhook_id,
           step_minutes, date_trunc(step, minute, 'UTC') as at, sum(open) as open, sum(succeeded) as succeeded,
           sum(failed) as failed, sum(skipped) as skipped, sum(attempts) as attempts
    from minutes cross join scopes group by 1, 2, 3, 4, 5
  ), latencies as (
    select workspace_id, is_total, case when is_total then '${allWebhooks}'::uuid else webhook_id end as webhook_id,
           step_minutes, date_trunc(step, minute, 'UTC') as at, bucket, sum(number)::integer as number
    from latency_minutes cross join scopes group by 1, 2, 3, 4, 5, 6
  ), histograms as (
    select workspace_id, is_total, webhook_id, step_minutes, at, array_agg(bucket order by bucket) as buckets,
           array_agg(number order by bucket) as numbers
    from latencies where number <> 0 group by 1, 2, 3, 4, 5
  ), applied as (
    insert into delivery_stats as s
    select workspace_id, is_total, webhook_id, step_minutes, at, open, succeeded, failed, skipped, attempts,
           coalesce(buckets, '{}'), coalesce(numbers, '{}')
    from counts left join histograms using (workspace_id, is_total, webhook_id, step_minutes, at)
    order by workspace_id, is_total, step_minutes, webhook_id, at
    on conflict (workspace_id, is_total, step_minutes, webhook_id, at) do update
    set open = s.open + excluded.open, succeeded = s.succeeded + excluded.succeeded,
        failed = s.failed + excluded.failed, skipped = s.skipped + excluded.skipped,
        attempts = s.attempts + excluded.attempts,
        (latency_buckets, latency_counts) = (
          select coalesce(array_agg(bucket order by bucket), '{}'),
                 coalesce(array_agg(number order by bucket), '{}')
          from (select bucket, sum(number)::integer as number
                from (select * from unnest(s.latency_buckets, s.latency_counts) as before(bucket, number)
                      union all
                      select * from unnest(excluded.latency_buckets, excluded.latency_counts)) as added
                group by bucket having sum(number) <> 0) as merged)
  )
  select count(*)::integer as changes from changes`;
