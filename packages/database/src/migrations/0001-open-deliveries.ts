/**
 * Part of the initial schema: workers, open deliveries and pauses. Open deliveries are in a small table without
 * partitions, so that the dispatcher's queries take equally long for any size of the history.
 */
export const openDeliveries = `
  -- One row for each running delivery worker, which renews its lease every second. Claims of a worker without a row, or
  -- with an expired lease, can be released. The oldest worker with a lease leads: it dispatches for all.
  create table workers (
    id uuid primary key,
    name text not null,
    started_at timestamptz not null,
    lease_until timestamptz not null,
    -- False while the worker cannot dispatch. It leads only if no other worker can.
    may_lead boolean not null default false
  ) with (fillfactor = 50);

  create table open_deliveries (
    delivery_id uuid primary key,
    workspace_id uuid not null,
    webhook_id uuid not null,
    alert_record_id uuid not null,
    run integer not null,
    state text not null check (state in ('waiting', 'queued')),
    due_at timestamptz not null,
    -- Reason of the last return to the state 'waiting'. The pause of the webhook is stored in webhook_pauses.
    waiting_reason text not null default 'backlog',
    -- Index of the next step in the retry schedule, and the start time of this run.
    step smallint not null default 0,
    opened_at timestamptz not null,
    manual boolean not null default false,
    -- Lease of a queued row. If no worker has claimed the row by then, its message is considered lost.
    lease_until timestamptz,
    -- The following columns belong to the claim. None of them is indexed, so that a claim is a HOT update. A row in the
    -- state 'queued' that is claimed is shown as 'sending'.
    claim integer not null,
    -- Id of the worker that claimed the row; null if unclaimed. A foreign key would add a lookup to every claim.
    claimed_by uuid,
    -- Random id of the batch that claimed the row. The batch can repeat its claim if the result of the commit is
    -- unknown.
    claim_token uuid,
    -- Number of consecutive claims without a recorded outcome, including the current claim.
    claims_without_outcome smallint not null default 0
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
          autovacuum_vacuum_cost_delay = 0);
  create index open_deliveries_waiting on open_deliveries (workspace_id, webhook_id, due_at)
    where state = 'waiting';
  -- Index for reading the workspaces with deliveries due, and the oldest due deliveries of each. Statements that use it
  -- order by "due_at nulls first", and statements that use open_deliveries_waiting order by "due_at". Without this
  -- difference, a plan that was made for few rows could use the wrong one of the two indexes.
  create index open_deliveries_due on open_deliveries (workspace_id, due_at nulls first) include (webhook_id)
    where state = 'waiting';
  -- Index for the due retries of a webhook with a rate limit, which are sent before its other deliveries.
  create index open_deliveries_retries on open_deliveries (workspace_id, webhook_id, due_at)
    where state = 'waiting' and step > 0;
  create index open_deliveries_queued on open_deliveries (workspace_id, webhook_id) where state = 'queued';

  -- A paused webhook: its destination sent Retry-After, its circuit breaker is open, or a person has paused it. The row
  -- can remain after paused_until: the circuit breaker is then half-open, and single requests are sent as probes.
  create table webhook_pauses (
    webhook_id uuid primary key,
    reason text not null check (reason in ('retry_after', 'circuit', 'manual')),
    since timestamptz not null default now(),
    paused_until timestamptz not null,
    -- Sentence that describes the failure that caused the pause.
    error text,
    -- Number of consecutive pauses by the circuit breaker. Each pause is twice as long as the previous one, up to a
    -- limit.
    times integer not null
  );

  -- When a pause ends early, the deliveries that wait for its end become due at once, whichever statement ended it. The
  -- limit of 10,000 rows keeps the statement below a second. Further deliveries become due within five minutes, the
  -- maximum for which the dispatcher postpones them.
  create function bring_paused_forward() returns trigger language plpgsql as $$
    begin
      update open_deliveries set due_at = now()
      where delivery_id = any(array(
        select later.delivery_id from webhooks w cross join lateral (
          select delivery_id from open_deliveries
          where state = 'waiting' and workspace_id = w.workspace_id and webhook_id = w.id
            and waiting_reason = 'paused' and due_at > now()
          order by due_at limit 10000 for update skip locked) later
        where w.id = old.webhook_id));
      return null;
    end
  $$;
  create trigger webhook_pauses_ended after delete on webhook_pauses
    for each row when (old.paused_until > now()) execute function bring_paused_forward();
  create trigger webhook_pauses_shortened after update of paused_until on webhook_pauses
    for each row when (new.paused_until < old.paused_until) execute function bring_paused_forward();
`;
