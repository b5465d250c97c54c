import type { Knex } from 'knex';

/** Retries run long after the request; its id is kept with the alert, so that their log lines can name it. */
export const requestIds = {
  name: '0005-request-ids',
  up: (knex: Knex) => knex.raw('alter table alerts add column request_id text'),
};
