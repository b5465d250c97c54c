import type { Knex } from 'knex';

/**
 * History (alerts, deliveries, attempts) is partitioned by an id that begins with the time of acceptance. What is
 * still owed stands apart in `open_deliveries`, small and unpartitioned: the dispatcher's questions cost the same
 * at ten thousand deliveries and at ten million, and history rows are written twice, the second time as a HOT update.
 */
export const alertsAndDeliveries = {
  name: '0002-alerts-and-deliveries',
  up: (knex: Knex) =>
    knex.raw(`
      -- Makes an alert one: (workspace_id, alert_id) again is the same alert.
      create table alert_keys (
        workspace_id uuid not null,
        alert_id uuid not null,
        accepted_at timestamptz not null,
        primary key (workspace_id, alert_id)
      );
      create index alert_keys_accepted_at on alert_keys using brin (accepted_at);

      create table alerts (
        id uuid primary key,
        workspace_id uuid not null,
        alert_id uuid not null,
        accepted_at timestamptz not null,
        fired_at text not null,
        alert_rule_id uuid not null,
        alert_rule_name text not null,
        model_id uuid not null,
        model_name text not null,
        metric_value double precision not null,
        threshold double precision not null,
        bound text not null,
        outcome text not null
      ) partition by range (id);
      create index alerts_workspace on alerts (workspace_id, id);

      create table deliveries (
        id uuid primary key,
        workspace_id uuid not null,
        alert_id uuid not null,
        alert_record_id uuid not null,
        alert_rule_id uuid not null,
        webhook_id uuid not null,
        webhook_name text not null,
        destination text not null,
        -- 'open' while a row of open_deliveries says what is owed.
        status text not null check (status in ('open', 'succeeded', 'failed', 'skipped')),
        run integer not null default 1,
        attempts_made integer not null default 0,
        -- Claims of ended runs; the next run counts on, so that a claim is never used twice.
        claims integer not null default 0,
        first_succeeded_at timestamptz,
        -- Set only while failed; a column of its own keeps the update of every success HOT.
        failed_at timestamptz,
        status_code integer,
        error_code text,
        error text
      ) partition by range (id);
      create index deliveries_workspace on deliveries (workspace_id, id);
      create index deliveries_webhook on deliveries (webhook_id, id);
      create index deliveries_failed on deliveries (workspace_id, id) where failed_at is not null;

      -- Keyed by claim, so that a commit whose outcome is unknown can be repeated.
      create table attempts (
        delivery_id uuid not null,
        claim integer not null,
        number integer not null,
        trigger text not null check (trigger in ('scheduled', 'manual')),
        started_at timestamptz not null,
        duration_ms integer not null,
        request_body_encrypted bytea not null,
        status_code integer,
        response text,
        response_truncated boolean not null default false,
        error_code text,
        error text,
        primary key (delivery_id, claim)
      ) partition by range (delivery_id);

      create table open_deliveries (
        delivery_id uuid primary key,
        workspace_id uuid not null,
        webhook_id uuid not null,
        alert_record_id uuid not null,
        run integer not null,
        state text not null check (state in ('waiting', 'queued')),
        due_at timestamptz not null,
        -- Of the schedule: which step comes next, and since when this run has been tried.
        step smallint not null default 0,
        opened_at timestamptz not null,
        manual boolean not null default false,
        -- The claim; none of these columns is indexed, so claims are HOT updates.
        claim integer not null,
        claimed boolean not null default false,
        -- Of the batch that claimed, so that a claim whose commit is unknown can be repeated.
        claim_token uuid,
        lease_until timestamptz,
        claims_without_outcome smallint not null default 0
      ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
              autovacuum_vacuum_cost_delay = 0);
      create index open_deliveries_waiting on open_deliveries (workspace_id, webhook_id, due_at)
        where state = 'waiting';
      create index open_deliveries_queued on open_deliveries (webhook_id) where state = 'queued';

      -- A webhook that is held back: its destination asked for it (Retry-After), or its circuit is open.
      -- While the row stands and paused_until has passed, single requests probe it.
      create table webhook_pauses (
        webhook_id uuid primary key,
        reason text not null check (reason in ('retry_after', 'circuit')),
        paused_until timestamptz not null,
        times integer not null
      );
    `),
};
