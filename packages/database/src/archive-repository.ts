import type { Database, Transaction } from './connection.js';

// Retention moves a partition of an expired day to the schema `archive`. There nothing reads or changes the table until the
// command `archive` has written its rows to a file and drops it.

export interface ArchivedTable {
  /** Name in the schema `archive`. */
  name: string;
  /** Table that the rows belong to. */
  table: string;
  /** `2026-11-22`: the rows belong to alerts that were accepted on this day, in UTC. */
  day: string;
  /** Base name of the file. */
  file: string;
}

/** Attempts of redeliveries that were made after the other attempts of their day had expired. */
export const lateAttempts = 'late_attempts';

/** Moves a partition to the schema `archive`, with the name of another kind of table if `kind` is given. */
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
  // The time of the move, for the age of the oldest table.
  await trx.raw(`comment on table archive.${name} is '${new Date(nowMs).toISOString()}'`);
}

/** The rows are read in one pass, so that the disk space of the indexes is free at once, and no name is used twice. */
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

/** Tables that wait for the command, oldest day first. */
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

/** Seconds for which the oldest table has waited for the command; 0 if none waits. */
export async function readArchiveAge(database: Database): Promise<number> {
  const names = (await listArchivedTables(database)).map(({ name }) => name);
  const { rows } = await database.knex.raw<{ rows: { seconds: number }[] }>(
    `select coalesce(date_part('epoch', clock_timestamp() - min(obj_description(oid, 'pg_class')::timestamptz)), 0) as seconds
     from pg_class where relnamespace = 'archive'::regnamespace and relname = any(?)`,
    [names],
  );
  return rows[0]?.seconds ?? 0;
}

/** Names of a table's columns, in their order. */
export async function readColumns(trx: Transaction, table: string): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { name: string }[] }>(
    `select attname as name from pg_attribute
     where attrelid = ?::regclass and attnum > 0 and not attisdropped order by attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** Ids of the keys with which values of the table are encrypted. */
export async function readKeyIds(trx: Transaction, table: string, columns: string[]): Promise<string[]> {
  const encrypted = columns.filter((column) => column.endsWith('_encrypted'));
  if (encrypted.length === 0) return [];
  // The first byte of a value is the length of the key id that follows.
  const idsOf = (column: string) =>
    `select distinct convert_from(substring(${column} from 2 for get_byte(${column}, 0)), 'LATIN1') as id
     from ${table} where ${column} is not null`;
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `${encrypted.map(idsOf).join(' union ')} order by id`,
  );
  return rows.map(({ id }) => id);
}

/** Attempts have up to 256 KiB as JSON, so that a batch has at most 25 MiB. */
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
