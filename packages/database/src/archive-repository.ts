import type { Database, Transaction } from './connection.js';
import { keyIdSql } from './secret-box.js';

// With RETENTION_ARCHIVE, retention moves the partitions of expired days to the schema `archive`. No service reads or
// changes the rows of a table in this schema. The command `archive` writes the rows of each table to a file and drops
// the table.

export interface ArchivedTable {
  /** Name of the table in the schema `archive`. */
  name: string;
  /** Table from which the rows come: `alerts`, `deliveries` or `attempts`. */
  table: string;
  /** Day such as `2026-11-22` on which the alerts of the rows were accepted, in UTC. */
  day: string;
  /** Name of the file for the rows of the table, without the extension of the file. */
  file: string;
}

/**
 * Kind of an archived table with late attempts. Redeliveries made these attempts after the other attempts of the same
 * partition had been archived.
 */
export const lateAttempts = 'late_attempts';

/**
 * Moves a partition, for example `attempts_20261122`, to the schema `archive`. If `kind` is given, it replaces the part
 * of the name before the day.
 */
export async function moveToArchive(
  trx: Transaction,
  { partition, nowMs, kind }: { partition: string; nowMs: number; kind?: string },
): Promise<void> {
  const [table = '', day = ''] = partition.split('_');
  const name = `${kind ?? table}_${day}`;
  await trx.raw(`alter table ${table} detach partition ${partition}`);
  await dropIndexes(trx, partition);
  if (name !== partition) await trx.raw(`alter table ${partition} rename to ${name}`);
  await trx.raw(`alter table ${name} set schema archive`);
  // The comment stores the time of the move, from which `readArchiveAge` computes the age of the oldest table.
  await trx.raw(`comment on table archive.${name} is '${new Date(nowMs).toISOString()}'`);
}

/**
 * Drops all indexes of a table, because the archive reads the table once from beginning to end. This frees the disk
 * space of the indexes at once, and makes their names available for the indexes of a new partition.
 */
async function dropIndexes(trx: Transaction, table: string): Promise<void> {
  const { rows } = await trx.raw<{ rows: { index: string; constraint: string | null }[] }>(
    `select indexrelid::regclass::text as index, conname as constraint
     from pg_index left join pg_constraint on conindid = indexrelid and conrelid = indrelid
     where indrelid = ?::regclass`,
    [table],
  );
  for (const { index, constraint } of rows)
    await trx.raw(
      constraint === null ? `drop index ${index}` : `alter table ${table} drop constraint ${constraint}`,
    );
}

/**
 * Returns the tables in the schema `archive`, oldest day first. They are the tables that the command `archive` has not
 * yet written to files and dropped.
 */
export async function listArchivedTables({ knex }: Database): Promise<ArchivedTable[]> {
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    `select relname as name from pg_class where relnamespace = 'archive'::regnamespace and relkind = 'r'`,
  );
  return rows
    .flatMap(({ name }) => describeTable(name) ?? [])
    .sort((a, b) => (a.day === b.day ? a.file.localeCompare(b.file) : a.day.localeCompare(b.day)));
}

function describeTable(name: string): ArchivedTable | undefined {
  const [, kind, year, month, dayOfMonth] =
    /^(alerts|deliveries|attempts|late_attempts)_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
  if (kind === undefined) return undefined;
  const day = `${year}-${month}-${dayOfMonth}`;
  const table = kind === lateAttempts ? 'attempts' : kind;
  return { name, table, day, file: `${kind.replace('_', '-')}-${day}` };
}

/** Returns the time in seconds since the oldest table in the archive was moved there; 0 if the archive is empty. */
export async function readArchiveAge(database: Database): Promise<number> {
  const names = (await listArchivedTables(database)).map(({ name }) => name);
  const { rows } = await database.knex.raw<{ rows: { seconds: number }[] }>(
    `select coalesce(date_part('epoch', clock_timestamp() - min(obj_description(oid, 'pg_class')::timestamptz)), 0) as seconds
     from pg_class where relnamespace = 'archive'::regnamespace and relname = any(?)`,
    [names],
  );
  return rows[0]?.seconds ?? 0;
}

/** Returns the names of a table's columns, in their order. */
export async function readColumns(trx: Transaction, table: string): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { name: string }[] }>(
    `select attname as name from pg_attribute
     where attrelid = ?::regclass and attnum > 0 and not attisdropped order by attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** Returns the ids of the keys with which values of the table are encrypted. */
export async function readKeyIds(trx: Transaction, table: string, columns: string[]): Promise<string[]> {
  const encrypted = columns.filter((column) => column.endsWith('_encrypted'));
  if (encrypted.length === 0) return [];
  const idsOf = (column: string) =>
    `select distinct ${keyIdSql(column)} as id from ${table} where ${column} is not null`;
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `${encrypted.map(idsOf).join(' union ')} order by id`,
  );
  return rows.map(({ id }) => id);
}

/**
 * Number of rows in a batch. The JSON of a batch is held in memory. It takes at most about 200 MB: the largest attempts
 * take about 2 MB each, because encrypted values are written as hexadecimal digits.
 */
const batchRows = 100;

/** Reads a table as lines of JSON, in batches that end with a line feed. */
export async function* readLines(
  trx: Transaction,
  table: string,
): AsyncGenerator<{ rows: number; text: string }> {
  await trx.raw(`declare archived no scroll cursor for select row_to_json(t)::text as line from ${table} t`);
  for (;;) {
    const { rows } = await trx.raw<{ rows: { line: string }[] }>(`fetch ${batchRows} from archived`);
    if (rows.length === 0) break;
    yield { rows: rows.length, text: `${rows.map(({ line }) => line).join('\n')}\n` };
  }
  await trx.raw('close archived');
}
