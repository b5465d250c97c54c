import { checkCanary, replaceCanary } from './canary-repository.js';
import type { Database } from './connection.js';
import type { SecretBox } from './secret-box.js';

/** A table with encrypted columns. */
interface EncryptedTable {
  name: string;
  /** SQL of the rows, named `t`, joined to the row that has their workspace. */
  rows: string;
  workspaceId: string;
  /** Primary key. Its values, joined with "/", are the id of the row in the authenticated data. */
  key: string[];
  /** The column `url` is stored in `url_encrypted`. */
  columns: string[];
}

const encryptedTables: EncryptedTable[] = [
  {
    name: 'webhooks',
    rows: 'webhooks t',
    workspaceId: 't.workspace_id',
    key: ['id'],
    columns: ['url', 'headers', 'body'],
  },
  {
    name: 'webhook_signing_secrets',
    rows: 'webhook_signing_secrets t join webhooks w on w.id = t.webhook_id',
    workspaceId: 'w.workspace_id',
    key: ['id'],
    columns: ['secret'],
  },
  {
    name: 'attempts',
    rows: 'attempts t join deliveries d on d.id = t.delivery_id',
    workspaceId: 'd.workspace_id',
    key: ['delivery_id', 'claim'],
    columns: ['exchange'],
  },
  {
    name: 'deliveries',
    rows: 'deliveries t',
    workspaceId: 't.workspace_id',
    key: ['id'],
    columns: ['rendered'],
  },
];

/** Number of rows of each table that were encrypted with the current key. */
export type RotatedRows = Record<string, number>;

/**
 * Encrypts with the current key every value that an older key encrypted, page by page, while the system runs. A row
 * that changes meanwhile is skipped: its writer uses the current key. After an interruption a second call continues
 * with the rows that are left. The canary is last: until then every process needs the older key.
 * @throws AppError `unavailable` if the keys do not decrypt the canary; nothing is changed then
 */
export async function rotateKeys(database: Database, secrets: SecretBox): Promise<RotatedRows> {
  await checkCanary(database, secrets);
  const rotated: RotatedRows = {};
  for (const table of encryptedTables) rotated[table.name] = await rotateTable(database, secrets, table);
  await replaceCanary(database, secrets);
  return rotated;
}

const pageRows = 200;

type EncryptedRow = Record<string, unknown> & { workspace_id: string };

async function rotateTable(database: Database, secrets: SecretBox, table: EncryptedTable): Promise<number> {
  let rotated = 0;
  for (let page = await readPage(database, table); page.length > 0; ) {
    for (const row of page) rotated += await rotateRow(database, secrets, { table, row });
    page = page.length < pageRows ? [] : await readPage(database, table, page.at(-1));
  }
  return rotated;
}

async function readPage(
  { knex }: Database,
  { rows, workspaceId, key, columns }: EncryptedTable,
  after?: EncryptedRow,
): Promise<EncryptedRow[]> {
  const keys = key.map((column) => `t.${column}`).join(', ');
  const encrypted = columns.map((column) => `t.${column}_encrypted`);
  const parameters = key.map(() => '?').join(', ');
  // Most deliveries have no encrypted value, and the history can have millions of rows.
  const hasValue = encrypted.map((column) => `${column} is not null`).join(' or ');
  const found = await knex.raw(
    `select ${workspaceId} as workspace_id, ${keys}, ${encrypted.join(', ')} from ${rows}
     where (${hasValue}) ${after === undefined ? '' : `and (${keys}) > (${parameters})`}
     order by ${keys} limit ${pageRows}`,
    after === undefined ? [] : key.map((column) => String(after[column])),
  );
  return found.rows;
}

/** Returns the number of rows that were written: 0 or 1. */
async function rotateRow(
  { knex }: Database,
  secrets: SecretBox,
  { table, row }: { table: EncryptedTable; row: EncryptedRow },
): Promise<number> {
  const id = table.key.map((column) => row[column]).join('/');
  const before: Record<string, Buffer> = {};
  const after: Record<string, Buffer> = {};
  for (const column of table.columns) {
    const name = `${column}_encrypted`;
    const encrypted = row[name];
    if (!Buffer.isBuffer(encrypted) || secrets.usesCurrentKey(encrypted)) continue;
    const location = { workspaceId: row.workspace_id, table: table.name, id, column };
    before[name] = encrypted;
    after[name] = secrets.encrypt(secrets.decrypt(encrypted, location), location);
  }
  if (Object.keys(after).length === 0) return 0;
  const key = Object.fromEntries(table.key.map((column) => [column, row[column]]));
  // Two encryptions of one value differ, so an equal value is the one that was read.
  return knex(table.name)
    .where({ ...key, ...before })
    .update(after);
}
