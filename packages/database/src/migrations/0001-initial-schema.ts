import type { Knex } from 'knex';
import { apiKeys, selfChecks } from './0001-api-keys-and-self-checks.js';
import { deliveryStats } from './0001-delivery-stats.js';
import { auditEvents, deadLettersAndJobs, noticesAndSettings } from './0001-jobs-and-notices.js';

/**
 * History (alerts, deliveries, attempts) is partitioned by an id that begins with the time of acceptance. Open
 * deliveries are in a small table without partitions, `open_deliveries`: the dispatcher's queries cost the same with
 * ten thousand deliveries in the history and with ten million. A history row is written twice, the second time as a
 * HOT update.
 */
export const initialSchema = {
  name: '0001-initial-schema',
  up: (knex: Knex) =>
    knex.raw(
      [
        webhooksAndRules,
        alertsAndDeliveries,
        openDeliveries,
        deliveryStats,
        deadLettersAndJobs,
        auditEvents,
        noticesAndSettings,
        apiKeys,
        selfChecks,
      ].join('\n'),
    ),
};

const webhooksAndRules = `
  create table webhooks (
    id uuid primary key,
    workspace_id uuid not null,
    -- Id that the caller has chosen.
    external_id text,
    name text not null,
    -- url, headers and body can contain credentials. Columns named *_encrypted are encrypted with AES-256-GCM.
    url_encrypted bytea not null,
    headers_encrypted bytea not null,
    body_encrypted bytea not null,
    -- Scheme, host and port of the url, for lists and logs.
    destination text not null,
    header_names text[] not null,
    enabled boolean not null,
    disabled_at timestamptz,
    retry_on_timeout boolean not null,
    -- Reason of an automatic disabling; null for a webhook that a person disabled.
    disabled_reason text,
    -- Options; null unless the webhook asks for them.
    retry_schedule_ms integer[],
    timeout_ms integer,
    rate_limit_requests integer,
    rate_limit_period_ms integer,
    signing boolean not null default false,
    idempotency_header text,
    -- The pause by hand that was asked for last, and the times of all such pauses: they do not count as age of a delivery.
    paused_until timestamptz,
    manual_pauses tstzmultirange,
    version integer not null default 1,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    last_updated_by text not null
  );
  create index webhooks_workspace on webhooks (workspace_id, id);
  create unique index webhooks_external_id on webhooks (workspace_id, external_id) where external_id is not null;

  -- Secrets that sign the requests of a webhook; each signs until it expires.
  create table webhook_signing_secrets (
    id uuid primary key,
    webhook_id uuid not null references webhooks (id) on delete cascade,
    secret_encrypted bytea not null,
    created_at timestamptz not null,
    expires_at timestamptz
  );
  create index webhook_signing_secrets_webhook on webhook_signing_secrets (webhook_id, id);

  -- State of a rate limit. The row exists while the webhook has a limit and is enabled.
  create table webhook_rate_limits (
    webhook_id uuid primary key references webhooks (id) on delete cascade,
    requests integer not null,
    period_ms integer not null,
    -- Time at which the next request is due at the pace of the limit.
    next_at timestamptz not null default now()
  ) with (fillfactor = 50);

  create table alert_rules (
    id uuid primary key,
    workspace_id uuid not null,
    -- Id that the caller has chosen; null for a deleted rule.
    external_id text,
    name text not null,
    model_id uuid not null,
    threshold double precision not null,
    bound text not null check (bound in ('upper_bound', 'lower_bound')),
    enabled boolean not null,
    -- Seconds after a dispatched alert in which the alerts that fire are suppressed; 0 for none.
    cooldown_seconds integer not null default 0,
    silenced_until timestamptz,
    -- The alert from which the cooldown runs; kept only while the rule has one.
    cooldown_from timestamptz,
    cooldown_alert_id uuid,
    version integer not null default 1,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    last_updated_by text not null,
    -- The row of a deleted rule stays, so that a late alert of the rule differs from an alert of an unknown rule.
    deleted_at timestamptz
  );
  create index alert_rules_workspace on alert_rules (workspace_id, id) where deleted_at is null;
  create unique index alert_rules_external_id on alert_rules (workspace_id, external_id) where external_id is not null;

  create table alert_rule_webhooks (
    alert_rule_id uuid not null references alert_rules (id) on delete cascade,
    webhook_id uuid not null references webhooks (id),
    position smallint not null,
    primary key (alert_rule_id, webhook_id)
  );
  create index alert_rule_webhooks_webhook on alert_rule_webhooks (webhook_id);
`;

const alertsAndDeliveries = `
  -- The primary key makes a second message with the same (workspace_id, alert_id) a duplicate.
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
    -- Id of the HTTP request that published the alert; log lines of later retries carry it.
    request_id text,
    -- Trace context of the fan-out, which the spans of its deliveries continue; null unless tracing is on.
    traceparent text,
    accepted_at timestamptz not null,
    fired_at text not null,
    alert_rule_id uuid not null,
    alert_rule_name text not null,
    model_id uuid not null,
    model_name text not null,
    metric_value double precision not null,
    threshold double precision not null,
    bound text not null,
    state text not null default 'firing' check (state in ('firing', 'resolved')),
    -- Texts by name; null without any. The type json keeps the order of the names, so that every attempt renders the same body.
    labels json,
    annotations json,
    is_test boolean not null default false,
    outcome text not null,
    -- Set only for the outcome 'suppressed'; a cooldown names the alert from which it runs.
    suppressed_by text check (suppressed_by in ('cooldown', 'silence')),
    suppressed_by_alert uuid,
    -- Values of a notice about a webhook or about dead letters; null for every other alert.
    notice jsonb,
    -- Webhooks for a dispatch by hand: of an alert over its workspace's limit, and of a disabled rule in the message.
    webhook_ids uuid[],
    -- The dispatch by hand, and the principal that asked for it.
    dispatched_at timestamptz,
    dispatched_by text
  ) partition by range (id);
  create index alerts_workspace on alerts (workspace_id, id);
  create index alerts_model on alerts (workspace_id, model_id, id);
  -- Alerts without labels have no entry. Stored labels contain no NUL, which jsonb would refuse.
  create index alerts_labels on alerts using gin ((labels::jsonb) jsonb_path_ops) where labels is not null;

  create table deliveries (
    id uuid primary key,
    workspace_id uuid not null,
    alert_id uuid not null,
    alert_record_id uuid not null,
    alert_rule_id uuid not null,
    webhook_id uuid not null,
    webhook_name text not null,
    -- Scheme and host of the last attempt; before the first one, of the webhook's url when the alert was accepted.
    destination text not null,
    -- 'open': the row in open_deliveries has the state (waiting, queued or sending).
    status text not null check (status in ('open', 'succeeded', 'failed', 'skipped')),
    -- 1 for the first run; each redelivery of an ended delivery starts the next run.
    run integer not null default 1,
    attempts_made integer not null default 0,
    -- Claims of ended runs. The next run continues from this number, so a claim number is never used twice.
    claims integer not null default 0,
    first_succeeded_at timestamptz,
    -- Set only while failed. A separate indexed column keeps the update of every success HOT.
    failed_at timestamptz,
    status_code integer,
    error_code text,
    error text,
    -- The rendered text that was not sent because it is not JSON.
    rendered_encrypted bytea
  ) partition by range (id);
  create index deliveries_workspace on deliveries (workspace_id, id);
  create index deliveries_webhook on deliveries (webhook_id, id);
  create index deliveries_failed on deliveries (workspace_id, id) where failed_at is not null;
  -- Deliveries without an error have no entry, so the update of every success stays HOT.
  create index deliveries_error on deliveries (workspace_id, error_code, id) where error_code is not null;

  -- The key contains the claim, so that a commit with an unknown outcome can be repeated.
  create table attempts (
    delivery_id uuid not null,
    claim integer not null,
    number integer not null,
    trigger text not null check (trigger in ('scheduled', 'manual')),
    started_at timestamptz not null,
    duration_ms integer not null,
    -- Scheme and host of the request.
    destination text not null,
    -- Body of the request; body, Location and Retry-After of the response, redacted.
    exchange_encrypted bytea not null,
    status_code integer,
    response_truncated boolean not null default false,
    error_code text,
    error text,
    primary key (delivery_id, claim)
  ) partition by range (delivery_id);
`;

const openDeliveries = `
  -- Each delivery worker that runs has one row, which it renews every second. A claim of a worker whose lease has expired,
  -- or whose row is missing, is free.
  create table workers (
    id uuid primary key,
    name text not null,
    started_at timestamptz not null,
    lease_until timestamptz not null
  ) with (fillfactor = 50);

  create table open_deliveries (
    delivery_id uuid primary key,
    workspace_id uuid not null,
    webhook_id uuid not null,
    alert_record_id uuid not null,
    run integer not null,
    state text not null check (state in ('waiting', 'queued')),
    due_at timestamptz not null,
    -- Why the row was last set to waiting. The pause of its webhook is read from webhook_pauses.
    waiting_reason text not null default 'backlog',
    -- Index of the next step of the retry schedule, and the start of this run.
    step smallint not null default 0,
    opened_at timestamptz not null,
    manual boolean not null default false,
    -- Lease of a queued row: after it, the message is lost if nobody has claimed the row.
    lease_until timestamptz,
    -- The columns of a claim. None is indexed, so that a claim is a HOT update. 'queued' and claimed is 'sending'.
    claim integer not null,
    -- Id of the worker that delivers the row; null unless claimed. No foreign key: it would cost each claim a lookup.
    claimed_by uuid,
    -- Random id of the batch that claimed, so that the batch can repeat a claim whose commit is unknown.
    claim_token uuid,
    -- Consecutive claims without an outcome. The current claim counts until its outcome is recorded.
    claims_without_outcome smallint not null default 0
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
          autovacuum_vacuum_cost_delay = 0);
  create index open_deliveries_waiting on open_deliveries (workspace_id, webhook_id, due_at)
    where state = 'waiting';
  -- Leads to the workspaces with deliveries due, and to these deliveries, whatever the number of webhooks. A statement that
  -- orders by "due_at nulls first" reads this index, and one that orders by "due_at" reads open_deliveries_waiting:
  -- otherwise a plan that was made for few rows could take one index for the other.
  create index open_deliveries_due on open_deliveries (workspace_id, due_at nulls first) include (webhook_id)
    where state = 'waiting';
  -- Due retries of a webhook with a rate limit are sent before its other deliveries.
  create index open_deliveries_retries on open_deliveries (workspace_id, webhook_id, due_at)
    where state = 'waiting' and step > 0;
  create index open_deliveries_queued on open_deliveries (workspace_id, webhook_id) where state = 'queued';

  -- A paused webhook: the destination sent Retry-After, the circuit is open, or a person has paused it. After
  -- paused_until, while the row exists, the circuit is half-open and single requests are sent as probes.
  create table webhook_pauses (
    webhook_id uuid primary key,
    reason text not null check (reason in ('retry_after', 'circuit', 'manual')),
    since timestamptz not null default now(),
    paused_until timestamptz not null,
    -- Sentence about the failure that caused the pause.
    error text,
    -- Consecutive pauses by the circuit; each is twice as long as the one before, up to a limit.
    times integer not null
  );

  -- Deliveries that wait for the end of a pause are due when it ends early, whichever statement ends it. The limit keeps the
  -- statement below a second; the rest is due within the five minutes for which the dispatcher postpones deliveries.
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
