/**
 * Part of the initial schema: alerts, deliveries and attempts. They are partitioned by an id that begins with the time
 * of acceptance. A row of `deliveries` is inserted when the delivery is created, and updated when the delivery ends. If
 * it ends as succeeded, the update is HOT: it writes no index entries.
 */
export const history = `
  -- The primary key detects a second message with the same (workspace_id, alert_id) as a duplicate.
  create table alert_keys (
    workspace_id uuid not null,
    alert_id uuid not null,
    accepted_at timestamptz not null,
    primary key (workspace_id, alert_id)
  );
  create index alert_keys_accepted_at on alert_keys (accepted_at);

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
