import type { Knex } from 'knex';
import { apiKeys, selfChecks } from './0001-api-keys-and-self-checks.js';
import { deliveryStats } from './0001-delivery-stats.js';
import { auditEvents, deadLettersAndJobs, noticesAndSettings } from './0001-jobs-and-notices.js';

/**
 * The history (alerts, deliveries, attempts) is partitioned by an id that begins with the time of acceptance. Open
 * deliveries are in a small table without partitions, `open_deliveries`, so that the dispatcher's queries take equally
 * long for any size of the history. A delivery in the history is written twice: when it is accepted, and as a HOT
 * update when it ends.
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
    -- Id chosen by the caller.
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
    -- Time of the last change of enabled; null if it was never changed.
    enabled_changed_at timestamptz,
    retry_on_timeout boolean not null,
    -- Reason why the system disabled the webhook; null if a person disabled it.
    disabled_reason text,
    -- Options of the webhook; null for the default.
    retry_schedule_ms integer[],
    timeout_ms integer,
    rate_limit_requests integer,
    rate_limit_period_ms integer,
    signing boolean not null default false,
    idempotency_header text,
    -- End of the last pause that a person requested, and the time ranges of all such pauses. The age after which a
    -- delivery expires does not include these ranges.
    paused_until timestamptz,
    manual_pauses tstzmultirange,
    version integer not null default 1,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    last_updated_by text not null
  );
  create index webhooks_workspace on webhooks (workspace_id, id);
  create unique index webhooks_external_id on webhooks (workspace_id, external_id) where external_id is not null;

  -- Secrets that sign the requests of a webhook. A request has one signature for each secret that has not expired.
  create table webhook_signing_secrets (
    id uuid primary key,
    webhook_id uuid not null references webhooks (id) on delete cascade,
    secret_encrypted bytea not null,
    created_at timestamptz not null,
    expires_at timestamptz
  );
  create index webhook_signing_secrets_webhook on webhook_signing_secrets (webhook_id, id);

  -- State of a webhook's rate limit. The row exists while the webhook has a limit and is enabled.
  create table webhook_rate_limits (
    webhook_id uuid primary key references webhooks (id) on delete cascade,
    requests integer not null,
    period_ms integer not null,
    -- Earliest time of the next request at the average rate of the limit.
    next_at timestamptz not null default now()
  ) with (fillfactor = 50);

  create table alert_rules (
    id uuid primary key,
    workspace_id uuid not null,
    -- Id chosen by the caller; null for a deleted rule.
    external_id text,
    name text not null,
    model_id uuid not null,
    threshold double precision not null,
    bound text not null check (bound in ('upper_bound', 'lower_bound')),
    enabled boolean not null,
    -- Time after a dispatched alert in which further alerts of the rule are suppressed, in seconds; 0 for no cooldown.
    cooldown_seconds integer not null default 0,
    silenced_until timestamptz,
    -- Acceptance time and id of the alert that started the cooldown; null while the rule has no cooldown.
    cooldown_from timestamptz,
    cooldown_alert_id uuid,
    version integer not null default 1,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    last_updated_by text not null,
    -- The row of a deleted rule is kept, so that a late alert of the rule can be distinguished from an alert of an
    -- unknown rule.
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
  -- The primary key detects a second message with the same (workspace_id, alert_id) as a duplicate.
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
    -- Id of the HTTP request that published the alert. Log lines about the alert and its deliveries contain it.
    request_id text,
    -- Hash of issuer and subject of the principal that published the alert over REST; null for all other alerts.
    published_by uuid,
    -- Trace context of the fan-out, the parent of the spans of the deliveries; null if tracing is off.
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
    -- JSON objects with names and texts; null if empty. The type json keeps the order of the names, so that every
    -- attempt renders the same body.
    labels json,
    annotations json,
    is_test boolean not null default false,
    outcome text not null,
    -- Set if the outcome is 'suppressed'. suppressed_by_alert is the alert that started the cooldown.
    suppressed_by text check (suppressed_by in ('cooldown', 'silence')),
    suppressed_by_alert uuid,
    -- Values of a notice about a webhook or about dead letters; null for all other alerts.
    notice jsonb,
    -- Webhooks to call in a dispatch by hand. Stored if the alert exceeded its workspace's limit, or if its message
    -- contained a disabled rule.
    webhook_ids uuid[],
    -- Time of the dispatch by hand, and the principal that requested it.
    dispatched_at timestamptz,
    dispatched_by text
  ) partition by range (id);
  create index alerts_workspace on alerts (workspace_id, id);
  create index alerts_model on alerts (workspace_id, model_id, id);
  -- Alerts without labels have no index entry. Labels are stored without NUL characters, which jsonb rejects.
  create index alerts_labels on alerts using gin ((labels::jsonb) jsonb_path_ops) where labels is not null;

  create table deliveries (
    id uuid primary key,
    workspace_id uuid not null,
    alert_id uuid not null,
    alert_record_id uuid not null,
    alert_rule_id uuid not null,
    webhook_id uuid not null,
    webhook_name text not null,
    -- Scheme and host of the last attempt. Before the first attempt: of the webhook's url at the time of acceptance.
    destination text not null,
    -- 'open' means waiting, queued or sending; the row in open_deliveries has the exact state.
    status text not null check (status in ('open', 'succeeded', 'failed', 'skipped')),
    -- 1 for the first run. Each redelivery of an ended delivery starts the next run.
    run integer not null default 1,
    attempts_made integer not null default 0,
    -- Number of claims in ended runs. The next run continues with this number, so that no claim number is used twice.
    claims integer not null default 0,
    first_succeeded_at timestamptz,
    -- Set while the status is 'failed'. It is a separate indexed column so that the update of a succeeded delivery
    -- changes no indexed column and is HOT.
    failed_at timestamptz,
    status_code integer,
    error_code text,
    error text,
    -- The rendered text, if it was not sent because it is not valid JSON.
    rendered_encrypted bytea
  ) partition by range (id);
  create index deliveries_workspace on deliveries (workspace_id, id);
  create index deliveries_webhook on deliveries (webhook_id, id);
  create index deliveries_failed on deliveries (workspace_id, id) where failed_at is not null;
  -- Deliveries without an error have no index entry, so that the update of a succeeded delivery is HOT.
  create index deliveries_error on deliveries (workspace_id, error_code, id) where error_code is not null;

  -- The primary key contains the claim number, so that a commit with an unknown result can be repeated.
  create table attempts (
    delivery_id uuid not null,
    claim integer not null,
    number integer not null,
    trigger text not null check (trigger in ('scheduled', 'manual')),
    started_at timestamptz not null,
    duration_ms integer not null,
    -- Scheme and host of the request's url.
    destination text not null,
    -- Body of the request, and body, Location and Retry-After of the response, without secrets.
    exchange_encrypted bytea not null,
    status_code integer,
    response_truncated boolean not null default false,
    error_code text,
    error text,
    primary key (delivery_id, claim)
  ) partition by range (delivery_id);

  -- Partitions of expired days, which wait here until the command archive has written them to files.
  create schema archive;
`;

const openDeliveries = `
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
