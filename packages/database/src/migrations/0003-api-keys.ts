import type { Knex } from 'knex';

export const apiKeys = {
  name: '0003-api-keys',
  up: (knex: Knex) =>
    knex.raw(`
      create table api_keys (
        id uuid primary key,
        key_hash text not null,
        description text not null,
        is_active boolean not null default true,
        created_at timestamptz not null,
        created_by text not null,
        deactivated_at timestamptz
      );
      create index api_keys_active on api_keys (is_active) where is_active;
    `),
};
