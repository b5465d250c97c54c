import type { Knex } from 'knex';

/** A message that is put back keeps the id of the request that it came from. */
export const requestIdsOfDeadLetters = {
  name: '0006-request-ids-of-dead-letters',
  up: (knex: Knex) => knex.raw('alter table dead_letters add column request_id text'),
};
