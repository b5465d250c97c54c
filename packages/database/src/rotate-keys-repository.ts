import { checkCanary, replaceCanary } from './canary-repository.js';
import type { Database, Transaction } from './connection.js';
import { listDays, partitionName } from './partitions-repository.js';
import type { SecretBox } from './secret-box.js';
import { sqlArray } from './sql-array.js';

/** A table with encrypted columns. */
interface EncryptedTable {
  name: string;
  /** True if the table has daily partitions, whose values are encrypted day by day. */
  daily?: boolean;
  /**
   * SQL that joins the table with the workspace to the rows `t`. `{day}` stands for the suffix of the day's partitions.
   */
  join?: string;
  workspaceId: string;
  /** Primary key. Its values, joined with "/", are the row id in the authenticated data of the encryption. */
  key: Key[];
  /** Names without the suffix: the column `url` is stored as `url_encrypted`. */
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
    join: 'join webhooks w on w.id = t.webhook_id',
    workspaceId: 'w.workspace_id',
    key: [id],
    columns: ['secret'],
  },
  {
    name: 'attempts',
    daily: true,
    join: 'join deliveries{day} d on d.id = t.delivery_id',
    workspaceId: 'd.workspace_id',
    key: [
      { name: 'delivery_id', type: 'uuid' },
      { name: 'claim', type: 'integer' },
    ],
    columns: ['exchange'],
  },
  { name: 'deliveries', daily: true, workspaceId: 't.workspace_id', key: [id], columns: ['rendered'] },
];

/** Number of rows by table that were encrypted with the current key. */
export type RotatedRows = Record<string, number>;

/** Called after each page with the number of rows of the table that are done. */
export type OnRotated = (table: string, rows: number) => void;

/**
 * Encrypts all values of older keys with the current key, page by page, while the system runs. The rows of a page are
 * locked for some milliseconds. After an interruption, a second call continues with the remaining rows. The canary is
 * replaced last, so that processes without the older key are not ready until all values are encrypted with the current
 * key.
 * @throws AppError `unavailable` if the keys do not decrypt the canary; nothing is changed then
 */
export async function rotateKeys(
  database: Database,
  secrets: SecretBox,
  onRotated: OnRotated = () => {},
): Promise<RotatedRows> {
  await checkCanary(database, secrets);
  const days = await listDays(database);
  const rotated: RotatedRows = {};
  for (const table of encryptedTables) {
    let rows = 0;
    const onPage = (count: number) => {
      rows += count;
      onRotated(table.name, rows);
    };
    const suffixes = table.daily ? days.map((day) => partitionName('', day)) : [''];
    const rotateNext = async (): Promise<void> => {
      for (let suffix = suffixes.shift(); suffix !== undefined; suffix = suffixes.shift())
        await rotateTable(database, secrets, { table, suffix }, onPage);
    };
    await Promise.all(Array.from({ length: parallelDays }, rotateNext));
    rotated[table.name] = rows;
  }
  await replaceCanary(database, secrets);
  return rotated;
}

/** Number of days processed at a time: one is encrypted while the database reads or writes a page of the other. */
export const parallelDays = 2;

/** Maximum rows of a page. An attempt has up to 128 KiB, so a page has at most 64 MiB. */
const pageRows = 500;

type EncryptedRow = Record<string, unknown> & { workspace_id: string };

interface Source {
  table: EncryptedTable;
  /** Suffix of the day's partitions; empty for a table without partitions. */
  suffix: string;
}

async function rotateTable(
  database: Database,
  secrets: SecretBox,
  source: Source,
  onPage: (rows: number) => void,
): Promise<void> {
  let last: EncryptedRow | undefined;
  do {
    const page = await database.knex.transaction(async (trx) => {
      const rows = await lockPage(trx, source, { prefix: secrets.currentPrefix, after: last });
      if (rows.length > 0) await writePage(trx, source, encryptAgain(rows, source.table, secrets));
      return rows;
    });
    if (page.length > 0) onPage(page.length);
    last = page.at(-1);
  } while (last !== undefined);
}

/** Locks the next page of rows that have a value of an older key. */
async function lockPage(
  trx: Transaction,
  { table, suffix }: Source,
  { prefix, after }: { prefix: Buffer; after: EncryptedRow | undefined },
): Promise<EncryptedRow[]> {
  const { name, join = '', workspaceId, columns } = table;
  const names = table.key.map((key) => key.name);
  const keys = names.map((key) => `t.${key}`).join(', ');
  const encrypted = columns.map((column) => `t.${column}_encrypted`);
  // The server reads only the first bytes of each value, which contain the key id.
  const isOld = encrypted.map((column) => `substring(${column} for ${prefix.length}) <> ?`).join(' or ');
  const isLater = after === undefined ? 'true' : `(${keys}) > (${names.map(() => '?').join(', ')})`;
  const { rows } = await trx.raw<{ rows: EncryptedRow[] }>(
    `select ${workspaceId} as workspace_id, ${keys}, ${encrypted.join(', ')}
     from ${name}${suffix} t ${join.replace('{day}', suffix)}
     where (${isOld}) and ${isLater}
     order by ${keys} limit ${pageRows} for no key update of t`,
    [...columns.map(() => prefix), ...(after === undefined ? [] : names.map((key) => String(after[key])))],
  );
  return rows;
}

function encryptAgain(rows: EncryptedRow[], { name, key, columns }: EncryptedTable, secrets: SecretBox) {
  return rows.map((row): EncryptedRow => {
    const rowId = key.map((part) => row[part.name]).join('/');
    const changed: EncryptedRow = { ...row };
    for (const column of columns) {
      const value = row[`${column}_encrypted`];
      if (!Buffer.isBuffer(value) || secrets.usesCurrentKey(value)) continue;
      const location = { workspaceId: row.workspace_id, table: name, id: rowId, column };
      changed[`${column}_encrypted`] = secrets.encrypt(secrets.decrypt(value, location), location);
    }
    return changed;
  });
}

async function writePage(trx: Transaction, { table, suffix }: Source, rows: EncryptedRow[]): Promise<void> {
  const { name, key } = table;
  const columns = table.columns.map((column) => `${column}_encrypted`);
  const values = [
    ...key.map((part) =>
      part.type === 'uuid'
        ? sqlArray.uuid(rows.map((row) => String(row[part.name])))
        : sqlArray.integer(rows.map((row) => Number(row[part.name]))),
    ),
    ...columns.map((column) => sqlArray.bytea(rows.map((row) => row[column] as Buffer | null))),
  ];
  const types = [...key.map(({ type }) => type), ...columns.map(() => 'bytea')];
  const names = [...key.map((part) => part.name), ...columns];
  await trx.raw(
    `update ${name}${suffix} t set ${columns.map((column) => `${column} = v.${column}`).join(', ')}
     from unnest(${types.map((type) => `?::${type}[]`).join(', ')}) as v(${names.join(', ')})
     where ${key.map((part) => `t.${part.name} = v.${part.name}`).join(' and ')}`,
    values,
  );
}
