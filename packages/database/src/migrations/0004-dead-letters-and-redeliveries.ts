import type { Knex } from 'knex';

export const deadLettersAndRedeliveries = {
  name: '0004-dead-letters-and-redeliveries',
  up: (knex: Knex) =>
    knex.raw(`
      create table dead_letters (
        id uuid primary key,
        reason text not null,
        detail text not null,
        queue text not null,
        routing_key text not null,
        content bytea not null,
        created_at timestamptz not null,
        requeued_at timestamptz
      );
      create index dead_letters_waiting on dead_letters (id) where requeued_at is null;

      -- Redelivery in bulk: a job that a worker carries out page by page and that survives restarts.
      create table redeliveries (
        id uuid primary key,
        workspace_id uuid not null,
        filter jsonb not null,
        matched integer not null,
        done integer not null default 0,
        -- Deliveries below this id are still to be looked at; ids fall as the job goes on.
        cursor uuid not null,
        status text not null check (status in ('running', 'done', 'cancelled')),
        created_by text not null,
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      create index redeliveries_workspace on redeliveries (workspace_id, id);
      create index redeliveries_running on redeliveries (id) where status = 'running';
    `),
};
