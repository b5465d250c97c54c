import type { Database } from '@tocsin/database';

/** Creates the table of the bare loop. Its only index is the primary key. */
export async function createBareTable(database: Database): Promise<void> {
  await database.knex.raw(`
    drop table if exists bare_deliveries;
    create table bare_deliveries (
      id bigint generated always as identity primary key,
      alert_id uuid not null,
      status_code integer not null,
      response text not null,
      request_body text not null
    )`);
}

/** Counts the rows and the distinct alerts. */
export async function countBareRows(database: Database): Promise<{ rows: number; distinct: number }> {
  const { rows } = await database.knex.raw(
    'select count(*)::integer as rows, count(distinct alert_id)::integer as distinct from bare_deliveries',
  );
  return rows[0];
}
