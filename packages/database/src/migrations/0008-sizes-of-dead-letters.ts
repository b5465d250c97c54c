import type { Knex } from 'knex';

/**
 * Of a message of which only the beginning is kept. Null from a worker of an earlier version: what is kept counts then.
 * That version wrote the size of such a message into its sentence for people.
 */
export const sizesOfDeadLetters = {
  name: '0008-sizes-of-dead-letters',
  up: (knex: Knex) =>
    knex.raw(`
      alter table dead_letters add column size_bytes integer;
      update dead_letters set size_bytes = substring(detail from '^The message has ([0-9]{1,9}) bytes')::integer
        where detail like 'The message has % only its beginning is kept.';
    `),
};
