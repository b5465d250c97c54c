import type { Knex } from 'knex';

export const webhooksAndRules = {
  name: '0001-webhooks-and-rules',
  up: (knex: Knex) =>
    knex.raw(`
      create table webhooks (
        id uuid primary key,
        workspace_id uuid not null,
        name text not null,
        -- url, headers and body can hold credentials: each is sealed (AES-256-GCM).
        url_encrypted bytea not null,
        headers_encrypted bytea not null,
        body_encrypted bytea not null,
        destination text not null,
        header_names text[] not null,
        enabled boolean not null,
        retry_on_timeout boolean not null,
        version integer not null default 1,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        last_updated_by text not null
      );
      create index webhooks_workspace on webhooks (workspace_id, id);

      create table alert_rules (
        id uuid primary key,
        workspace_id uuid not null,
        name text not null,
        model_id uuid not null,
        threshold double precision not null,
        bound text not null check (bound in ('upper_bound', 'lower_bound')),
        enabled boolean not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        -- A deleted rule leaves its row, so that its late alerts are told from unknown ones.
        deleted_at timestamptz
      );
      create index alert_rules_workspace on alert_rules (workspace_id, id) where deleted_at is null;

      create table alert_rule_webhooks (
        alert_rule_id uuid not null references alert_rules (id) on delete cascade,
        webhook_id uuid not null references webhooks (id),
        position smallint not null,
        primary key (alert_rule_id, webhook_id)
      );
      create index alert_rule_webhooks_webhook on alert_rule_webhooks (webhook_id);
    `),
};
