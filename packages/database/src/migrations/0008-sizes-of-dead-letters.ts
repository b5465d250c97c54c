import type { Knex } from 'knex';

/** Of a message of which only the beginning is kept. Null from a worker of an earlier version. */
export const sizesOfDeadLetters = {
  name: '0008-sizes-of-dead-letters',
  up: (knex: Knex) => knex.raw('alter table dead_letters add column size_bytes integer'),
};
