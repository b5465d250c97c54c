/** Part of the initial schema: webhooks with their options, and alert rules. */
export const webhooksAndRules = `
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
