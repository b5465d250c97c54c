import { type Database, tryLockName } from '@tocsin/database';

/**
 * Maximum rows of `delivery_stats_changes` that one call processes, about 0.2 s of database time. Readers add the
 * remaining rows to the counts.
 */
const maxChanges = 20_000;

/**
 * Moves up to 20,000 rows from `delivery_stats_changes` to the counts in `delivery_stats`, in one commit. Resolves to
 * true if rows may be left. Does nothing, and resolves to false, while another process runs this function.
 */
export async function applyStatsChanges({ knex }: Database): Promise<boolean> {
  return knex.transaction(async (trx) => {
    if (!(await tryLockName(trx, 'delivery_stats'))) return false;
    // The table of changes has no index, so that inserts are cheap. Reading it needs a sequential scan, which the
    // workers' connection option `plansByKey` disables.
    await trx.raw('set local enable_seqscan = on; set local plan_cache_mode = force_custom_plan');
    const { rows } = await trx.raw(apply);
    return rows[0].changes === maxChanges;
  });
}

/** `webhook_id` of the rows of `delivery_stats` that have the totals of a workspace. */
export const allWebhooks = '00000000-0000-0000-0000-000000000000';

/**
 * Number of histogram entries of a row above which entries of the same latency bucket are merged. Up to this number,
 * updating a row costs no more than without a histogram.
 */
const maxEntries = 64;

const sums = `sum(open)::integer as open, sum(succeeded)::integer as succeeded, sum(failed)::integer as failed,
           sum(skipped)::integer as skipped, sum(attempts)::integer as attempts`;

const addedUp = (step: string, interval: string) => `
    select workspace_id, is_total, webhook_id, ${step}, date_bin('${interval}', minute, 'epoch'), ${sums},
           concat_latencies(latencies)
    from minutes group by 1, 2, 3, 5`;

// The changes of the counts of one webhook in one minute are added to six rows of `delivery_stats`: for the minute, the
// hour and the day, each for the webhook and for the workspace. The rows are written in the order of their keys.
const apply = `
  with changes as materialized (
    delete from delivery_stats_changes
    where ctid = any(array(select ctid from delivery_stats_changes limit ${maxChanges}))
    returning *
  ), total_latencies as (
    select workspace_id, minute, array_agg(256 * number + bucket) as latencies
    from (select workspace_id, minute, entry & 255 as bucket, sum(entry >> 8)::bigint as number
          from changes cross join unnest(latencies) as entry group by 1, 2, 3) as buckets
    where number <> 0 group by workspace_id, minute
  ), minutes as materialized (
    select workspace_id, false as is_total, webhook_id, minute, ${sums}, concat_latencies(latencies) as latencies
    from changes group by workspace_id, webhook_id, minute
    union all
    select workspace_id, true, '${allWebhooks}', minute, open, succeeded, failed, skipped, attempts, latencies
    from (select workspace_id, minute, ${sums} from changes group by workspace_id, minute) as totals
    left join total_latencies using (workspace_id, minute)
  ), steps (workspace_id, is_total, webhook_id, step_minutes, at, open, succeeded, failed, skipped, attempts, latencies) as (
    select workspace_id, is_total, webhook_id, 1, minute, open, succeeded, failed, skipped, attempts, latencies
    from minutes
    union all ${addedUp('60', '1 hour')}
    union all ${addedUp('1440', '1 day')}
  ), applied as (
    insert into delivery_stats as s
    select workspace_id, is_total, webhook_id, step_minutes, at, open, succeeded, failed, skipped, attempts,
           case when cardinality(latencies) > ${maxEntries} then merge_latencies(latencies)
                else coalesce(latencies, '{}') end
    from steps order by workspace_id, is_total, step_minutes, webhook_id, at
    on conflict (workspace_id, is_total, step_minutes, webhook_id, at) do update
    set open = s.open + excluded.open, succeeded = s.succeeded + excluded.succeeded,
        failed = s.failed + excluded.failed, skipped = s.skipped + excluded.skipped,
        attempts = s.attempts + excluded.attempts,
        latencies = case when cardinality(s.latencies) + cardinality(excluded.latencies) > ${maxEntries}
                         then merge_latencies(s.latencies || excluded.latencies)
                         else s.latencies || excluded.latencies end
  )
  select count(*)::integer as changes from changes`;
