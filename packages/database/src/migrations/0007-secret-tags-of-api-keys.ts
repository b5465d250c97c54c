import type { Knex } from 'knex';

/** Null until the key is used, for keys made by earlier versions. */
export const secretTagsOfApiKeys = {
  name: '0007-secret-tags-of-api-keys',
  up: (knex: Knex) => knex.raw('alter table api_keys add column secret_tag smallint'),
};
