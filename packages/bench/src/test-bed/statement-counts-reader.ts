import { createDatabase, type Database } from '@tocsin/database';

/** Configures the server to load `pg_stat_statements` at its next start. */
export async function enableStatementCounts(url: string): Promise<void> {
  const database = createDatabase({ url, applicationName: 'tocsin-bench' });
  await database.knex.raw(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
  await database.knex.raw('create extension if not exists pg_stat_statements');
  await database.close();
}

export interface StatementCount {
  statement: string;
  calls: number;
  rows: number;
  totalMs: number;
  meanMs: number;
  /** Bytes of write-ahead log that the statement wrote. */
  walBytes: number;
}

/** Returns the 20 statements with the highest total execution time, slowest first. */
export async function readStatementCounts(database: Database): Promise<StatementCount[]> {
  const { rows } = await database.knex.raw(
    `select left(regexp_replace(query, '\\s+', ' ', 'g'), 160) as statement, calls::integer, rows::integer,
            total_exec_time as "totalMs", mean_exec_time as "meanMs", wal_bytes::float8 as "walBytes"
     from pg_stat_statements order by total_exec_time desc limit 20`,
  );
  return rows;
}
