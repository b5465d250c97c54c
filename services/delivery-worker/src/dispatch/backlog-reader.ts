import type { Database } from '@tocsin/database';

/**
 * Counts of due deliveries and paused webhooks, for metrics. The query reads at most 10,000 workspaces. It counts at
 * most 10,000 due deliveries of each workspace, and 50,000 in total.
 */
export interface Backlog {
  due: number;
  /**
   * Number of deliveries that have been due for more than a minute although their webhook is not paused, is not being
   * probed after a pause, and has no rate limit.
   */
  overdue: number;
  oldestDueSeconds: number;
  /**
   * Number of webhooks with an open circuit. A circuit without a probe in the ten minutes after its pause no longer
   * counts: its webhook has nothing to send, so the state of its destination is unknown.
   */
  openCircuits: number;
  /** Number of webhooks that are paused because their destination sent `Retry-After`. */
  retryAfters: number;
}

export interface BacklogReader {
  /** Counts the due deliveries and the paused webhooks. */
  backlog(): Promise<Backlog>;
}

export function createBacklogReader(database: Database): BacklogReader {
  return {
    async backlog() {
      const [row] = await database.prepared<BacklogRow>(backlog, []);
      return {
        due: row?.due ?? 0,
        overdue: row?.overdue ?? 0,
        oldestDueSeconds: row?.oldest ?? 0,
        openCircuits: row?.open_circuits ?? 0,
        retryAfters: row?.retry_afters ?? 0,
      };
    },
  };
}

// The CTE `first_due` reads the earliest delivery of every workspace. It is needed because a few workspaces with large
// backlogs can use up the limit of 50,000 counted deliveries. The oldest delivery of another workspace is then not
// among the counted ones.
const backlog = {
  name: 'dispatch.backlog',
  text: `
    with recursive workspaces as (
      (select workspace_id, webhook_id, due_at, 1 as steps from open_deliveries where state = 'waiting'
       order by workspace_id, due_at nulls first limit 1)
      union all
      select next.workspace_id, next.webhook_id, next.due_at, workspaces.steps + 1
      from workspaces cross join lateral (
        select o.workspace_id, o.webhook_id, o.due_at from open_deliveries o
        where o.state = 'waiting' and o.workspace_id > workspaces.workspace_id
        order by o.workspace_id, o.due_at nulls first limit 1) next
      where workspaces.steps < 10000
    ), first_due as (
      select due_at from workspaces left join webhook_pauses pause using (webhook_id)
      left join webhook_rate_limits rate using (webhook_id)
      where due_at <= now() and pause.webhook_id is null and rate.webhook_id is null
    ), due as materialized (
      select next.due_at, num_nonnulls(pause.webhook_id, rate.webhook_id) > 0 as must_wait
      from workspaces cross join lateral (
        select o.webhook_id, o.due_at from open_deliveries o
        where o.state = 'waiting' and o.workspace_id = workspaces.workspace_id and o.due_at <= now()
        order by o.due_at nulls first limit 10000) next
      left join webhook_pauses pause on pause.webhook_id = next.webhook_id
      left join webhook_rate_limits rate on rate.webhook_id = next.webhook_id
      where workspaces.due_at <= now()
      limit 50000
    )
    select count(*)::integer as due,
           (count(*) filter (where not must_wait and due_at < now() - interval '1 minute'))::integer as overdue,
           coalesce(extract(epoch from now() - least(min(due_at) filter (where not must_wait),
                                                     (select min(due_at) from first_due))), 0)::float8 as oldest,
           (select count(*)::integer from webhook_pauses
            where reason = 'circuit' and paused_until > now() - interval '10 minutes') as open_circuits,
           (select count(*)::integer from webhook_pauses
            where reason = 'retry_after' and paused_until > now()) as retry_afters
    from due`,
};

interface BacklogRow {
  due: number;
  overdue: number;
  oldest: number;
  open_circuits: number;
  retry_afters: number;
}
