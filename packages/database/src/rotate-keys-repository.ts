import { setImmediate } from 'node:timers/promises';
import { checkCanary, replaceCanary } from './canary-repository.js';
import type { Database } from './connection.js';
import { isTableMissing } from './errors.js';
import { listDays, partitionName } from './partitions-repository.js';
import type { SecretBox, SecretLocation } from './secret-box.js';
import { sqlArray } from './sql-array.js';

/** A table with encrypted columns. */
interface EncryptedTable {
  name: string;
  /** True if the table has daily partitions. The rotation then processes one partition after the other. */
  daily?: boolean;
  /** SQL expression for the workspace of a row `t`. `{day}` stands for the name suffix of the row's partition. */
  workspaceId: string;
  /** Primary key. Its values, joined with "/", are the row id in the authenticated data of the encryption. */
  key: Key[];
  /** Names of the encrypted columns without their suffix `_encrypted`: `url` is the column `url_encrypted`. */
  columns: string[];
}

interface Key {
  name: string;
  type: 'uuid' | 'integer';
}

const id: Key = { name: 'id', type: 'uuid' };

const encryptedTables: EncryptedTable[] = [
  { name: 'webhooks', workspaceId: 't.workspace_id', key: [id], columns: ['url', 'headers', 'body'] },
  {
    name: 'webhook_signing_secrets',
    workspaceId: '(select w.workspace_id from webhooks w where w.id = t.webhook_id)',
    key: [id],
    columns: ['secret'],
  },
  {
    name: 'attempts',
    daily: true,
    workspaceId: '(select d.workspace_id from deliveries{day} d where d.id = t.delivery_id)',
    key: [
      { name: 'delivery_id', type: 'uuid' },
      { name: 'claim', type: 'integer' },
    ],
    columns: ['exchange'],
  },
  { name: 'deliveries', daily: true, workspaceId: 't.workspace_id', key: [id], columns: ['rendered'] },
];

/** Number of rows that a rotation has encrypted with the current key, by name of the table. */
export type RotatedRows = Record<string, number>;

export interface RotationProgress {
  table: string;
  /** Number of finished rows of this table. */
  rows: number;
  /** Estimated numbers of rows, over all tables, that are finished (`read`) and that remain (`left`). */
  read: number;
  left: number;
}

/**
 * Decrypts all values that an older key has encrypted, and encrypts them with the current key, page by page, while the
 * system runs. Rows are not locked between read and update. If a row has changed since it was read, the update skips
 * this row, and the rotation reads the row again later. After an interruption, a second call continues with the
 * remaining rows. Values in the schema `archive` keep their old encryption. The canary is replaced last. A process that
 * has only the current key therefore becomes ready only after all other values are encrypted with this key. Values that
 * the keys do not decrypt are left unchanged, because a lost key must not prevent the rotation of the other values.
 * @throws AppError `unavailable` if the keys do not decrypt the canary; nothing is changed then
 * @throws Error at the end if there are such values; the message names their columns and keys
 */
export async function rotateKeys(
  database: Database,
  secretBox: SecretBox,
  onProgress: (progress: RotationProgress) => void = () => {},
): Promise<RotatedRows> {
  const hadCanary = await checkCanary(database, secretBox);
  const rotated: RotatedRows = Object.fromEntries(encryptedTables.map(({ name }) => [name, 0]));
  const sources = await listSources(database);
  const total = sources.reduce((sum, { estimatedRows }) => sum + estimatedRows, 0);
  const undecryptable = new Map<string, number>();
  let readBefore = 0;
  for (const source of sources) {
    const { name } = source.table;
    let done = 0;
    const undecryptableInSource = await rotateSource(database, secretBox, source, (rows) => {
      done += rows;
      rotated[name] = (rotated[name] ?? 0) + rows;
      const read = readBefore + Math.min(done, source.estimatedRows);
      onProgress({ table: name, rows: rotated[name], read, left: total - read });
    });
    for (const [values, count] of undecryptableInSource)
      undecryptable.set(values, (undecryptable.get(values) ?? 0) + count);
    readBefore += source.estimatedRows;
  }
  // Without a canary, all keys can be wrong. A canary of wrong keys would stop the workers.
  if (hadCanary || undecryptable.size === 0) await replaceCanary(database, secretBox);
  if (undecryptable.size > 0) {
    const counts = [...undecryptable].map(([values, count]) => `${count} of ${values}`);
    throw new Error(`SECRETS_KEYS does not decrypt all values. These are unchanged: ${counts.join(', ')}.`);
  }
  return rotated;
}

/** Number of values that the keys do not decrypt, by column and key, for example `webhooks.url with the key "k1"`. */
type UndecryptableValues = Map<string, number>;

/** Number of connections of a rotation: one page is read while another is written. */
export const rotationConnections = 2;

/** Maximum rows and bytes of a page. The last row of a page may exceed the byte limit. */
const pageRows = 500;
const pageBytes = 8 * 1_048_576;

/** A table without partitions, or one daily partition of a table. */
interface Source {
  table: EncryptedTable;
  /** End of the partition's name, such as `_20261122`; empty for a table without partitions. */
  suffix: string;
  estimatedRows: number;
}

type EncryptedRow = Record<string, unknown> & { workspace_id: string; row_version: string };

async function listSources(database: Database): Promise<Source[]> {
  const days = (await listDays(database)).map((day) => partitionName('', day));
  const sources: Source[] = [];
  for (const table of encryptedTables) {
    for (const suffix of table.daily ? days : [''])
      sources.push({ table, suffix, estimatedRows: await estimateRows(database, `${table.name}${suffix}`) });
  }
  return sources;
}

/**
 * Returns the number of rows of a table as the planner estimates it from the current size of the table. Counting the
 * rows would read the whole history.
 */
async function estimateRows(database: Database, name: string): Promise<number> {
  const { rows } = await database.knex.raw(`explain (format json) select from ${name}`);
  return rows[0]['QUERY PLAN'][0].Plan['Plan Rows'];
}

/**
 * Re-encrypts the values of a table or of one partition, and returns its undecryptable values. If retention drops the
 * partition during the rotation, the function ends without an error, because no rows remain.
 */
async function rotateSource(
  database: Database,
  secretBox: SecretBox,
  source: Source,
  onPage: (rows: number) => void,
): Promise<UndecryptableValues> {
  try {
    let pass: { isComplete: boolean; undecryptable: UndecryptableValues };
    do pass = await rotatePages(database, secretBox, source, onPage);
    while (!pass.isComplete);
    return pass.undecryptable;
  } catch (error) {
    if (source.suffix === '' || !isTableMissing(error)) throw error;
    return new Map();
  }
}

/**
 * Re-encrypts all pages of a table or partition. While one page is encrypted, the next one is read and the previous one
 * is written. `isComplete` is false if some rows were skipped because they had changed since they were read.
 */
async function rotatePages(
  database: Database,
  secretBox: SecretBox,
  source: Source,
  onPage: (rows: number) => void,
): Promise<{ isComplete: boolean; undecryptable: UndecryptableValues }> {
  const undecryptable: UndecryptableValues = new Map();
  let isComplete = true;
  const write = async (rows: EncryptedRow[]) => {
    const written = await writePage(database, source, rows);
    isComplete &&= written === rows.length;
    onPage(written);
  };
  let writing = Promise.resolve();
  for await (const page of pagesAhead(database, source, secretBox.currentPrefix)) {
    const encrypted = page.flatMap((row) => encryptAgain(row, source.table, { secretBox, undecryptable }));
    await writing;
    writing = failLater(write(encrypted));
  }
  await writing;
  return { isComplete, undecryptable };
}

/** Reads pages in the order of the primary key. The next page is requested before the current one is returned. */
async function* pagesAhead(
  database: Database,
  source: Source,
  prefix: Buffer,
): AsyncGenerator<EncryptedRow[]> {
  let reading = readPage(database, source, { prefix, after: undefined });
  for (let page = await reading; page.length > 0; page = await reading) {
    reading = failLater(readPage(database, source, { prefix, after: page.at(-1) }));
    // The request for the next page is sent during this wait. Without the wait, it would be sent only after the caller
    // has encrypted the current page, because encryption blocks the thread.
    await setImmediate();
    yield page;
  }
}

/**
 * Marks the rejection of a promise as handled, so that the process does not end if the promise is awaited only after
 * its rejection.
 */
function failLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** Reads rows with a value that an older encryption key has encrypted, in the order of the primary key. */
async function readPage(
  { knex }: Database,
  { table, suffix }: Source,
  { prefix, after }: { prefix: Buffer; after: EncryptedRow | undefined },
): Promise<EncryptedRow[]> {
  const { name, workspaceId, columns } = table;
  const names = table.key.map((key) => key.name);
  const keys = names.map((key) => `t.${key}`).join(', ');
  const encrypted = columns.map((column) => `t.${column}_encrypted`);
  // The server reads only the first bytes of each value, which contain the key id.
  const isOld = encrypted.map((column) => `substring(${column} for ${prefix.length}) <> ?`).join(' or ');
  const isLater = after === undefined ? 'true' : `(${keys}) > (${names.map(() => '?').join(', ')})`;
  const bytes = encrypted.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');
  const { rows } = await knex.raw<{ rows: EncryptedRow[] }>(
    `select * from (
       select ${keys}, ${encrypted.join(', ')}, t.xmin::text as row_version,
              ${workspaceId.replace('{day}', suffix)} as workspace_id,
              sum(${bytes}) over (order by ${keys} rows between unbounded preceding and 1 preceding) as bytes_before
       from ${name}${suffix} t where (${isOld}) and ${isLater} order by ${keys} limit ${pageRows}) page
     where bytes_before is null or bytes_before < ${pageBytes}`,
    [...columns.map(() => prefix), ...(after === undefined ? [] : names.map((key) => String(after[key])))],
  );
  return rows;
}

/** Returns the row with its old values encrypted again; no row if none of them can be decrypted. */
function encryptAgain(
  row: EncryptedRow,
  { name, key, columns }: EncryptedTable,
  { secretBox, undecryptable }: { secretBox: SecretBox; undecryptable: UndecryptableValues },
): EncryptedRow[] {
  const rowId = key.map((part) => row[part.name]).join('/');
  const changed: Record<string, Buffer> = {};
  for (const column of columns) {
    const value = row[`${column}_encrypted`];
    if (!Buffer.isBuffer(value) || secretBox.usesCurrentKey(value)) continue;
    const location = { workspaceId: row.workspace_id, table: name, id: rowId, column };
    const plain = decryptIfPossible(secretBox, value, location);
    if (plain !== undefined) changed[`${column}_encrypted`] = secretBox.encrypt(plain, location);
    else {
      const values = `${name}.${column} with the key "${secretBox.keyIdOf(value)}"`;
      undecryptable.set(values, (undecryptable.get(values) ?? 0) + 1);
    }
  }
  return Object.keys(changed).length > 0 ? [{ ...row, ...changed }] : [];
}

function decryptIfPossible(
  secretBox: SecretBox,
  value: Buffer,
  location: SecretLocation,
): Buffer | undefined {
  try {
    return secretBox.decrypt(value, location);
  } catch {
    return undefined;
  }
}

/** Updates the rows that have not changed since they were read. Returns the number of updated rows. */
async function writePage(
  { knex }: Database,
  { table, suffix }: Source,
  rows: EncryptedRow[],
): Promise<number> {
  const { name, key } = table;
  const columns = table.columns.map((column) => `${column}_encrypted`);
  const values = [
    ...key.map((part) =>
      part.type === 'uuid'
        ? sqlArray.uuid(rows.map((row) => String(row[part.name])))
        : sqlArray.integer(rows.map((row) => Number(row[part.name]))),
    ),
    ...columns.map((column) => sqlArray.bytea(rows.map((row) => row[column] as Buffer | null))),
    sqlArray.text(rows.map((row) => row.row_version)),
  ];
  const types = [...key.map(({ type }) => type), ...columns.map(() => 'bytea'), 'text'];
  const names = [...key.map((part) => part.name), ...columns, 'row_version'];
  // The primary key identifies a row. The id of the transaction that wrote the row (xmin) identifies its version.
  const { rowCount } = await knex.raw<{ rowCount: number }>(
    `update ${name}${suffix} t set ${columns.map((column) => `${column} = v.${column}`).join(', ')}
     from unnest(${types.map((type) => `?::${type}[]`).join(', ')}) as v(${names.join(', ')})
     where ${key.map((part) => `t.${part.name} = v.${part.name}`).join(' and ')} and t.xmin::text = v.row_version`,
    values,
  );
  return rowCount;
}
