import { messageOf } from '@tocsin/kit';
import { type ArchiveManifest, writeArchiveFile } from './archive-files.js';
import {
  type ArchivedTable,
  listArchivedTables,
  readColumns,
  readKeyIds,
  readLines,
} from './archive-repository.js';
import type { Database } from './connection.js';
import { isLockTimeout } from './errors.js';
import { runCommand } from './run-command.js';

/**
 * Operators run this command every day while RETENTION_ARCHIVE is on. It writes the tables of the schema `archive` to
 * files in ARCHIVE_DIRECTORY and drops them.
 */
await runCommand({
  name: 'The archive',
  applicationName: 'tocsin-archive',
  env: process.env,
  readSettings: (read) => ({ directory: read.string('ARCHIVE_DIRECTORY') }),
  async run(database, { directory }, print) {
    const tables = await listArchivedTables(database);
    const failures: string[] = [];
    for (const table of tables) {
      try {
        const manifest = await archiveTable(database, table, directory);
        print(manifest === undefined ? `Another run writes ${table.file}.` : describe(manifest));
      } catch (error) {
        failures.push(messageOf(error));
      }
    }
    if (failures.length > 0) throw new Error(failures.join('\n'));
    return tables.length === 0 ? ['No expired table waits.'] : [];
  },
});

/**
 * Writes a table to a file and drops the table in the same transaction. After a crash, the table therefore still
 * exists, and the next run writes the file again. Resolves to undefined if another run is writing the table.
 */
async function archiveTable(
  database: Database,
  { name, table, day, file }: ArchivedTable,
  directory: string,
): Promise<ArchiveManifest | undefined> {
  const source = `archive.${name}`;
  let isWritten = false;
  try {
    return await database.knex.transaction(async (trx) => {
      // The session is idle in the transaction while the file is synced to disk. The server must not end the session
      // during this time.
      await trx.raw('set local idle_in_transaction_session_timeout = 0');
      // By default, PostgreSQL starts to read a large table where the last scan stopped. A run after a crash would then
      // write the rows in another order, and the file would differ from the existing one.
      await trx.raw('set local synchronize_seqscans = off');
      // An autovacuum can delay the lock for about 1 s (`deadlock_timeout`); then PostgreSQL cancels the autovacuum. If
      // the lock is not available within 5 s, another run is writing the table.
      await trx.raw(`set local lock_timeout = '5s'`);
      await trx.raw(`lock table ${source} in exclusive mode`);
      const columns = await readColumns(trx, source);
      const manifest = await writeArchiveFile(directory, readLines(trx, source), {
        name: file,
        table,
        day,
        columns,
        key_ids: await readKeyIds(trx, source, columns),
        archived_at: new Date().toISOString(),
      });
      isWritten = true;
      await trx.raw(`drop table ${source}`);
      return manifest;
    });
  } catch (cause) {
    if (isLockTimeout(cause) && isWritten)
      throw new Error(
        `${source} is kept, because another session reads it, for example a backup; its file is written, and the next run drops the table`,
        { cause },
      );
    if (isLockTimeout(cause)) return undefined;
    throw new Error(`${source} was not archived and is kept: ${messageOf(cause)}`, { cause });
  }
}

function describe({ file, rows, bytes, key_ids: keys }: ArchiveManifest): string {
  const encrypted = keys.length === 0 ? '' : `, encrypted with ${keys.join(', ')}`;
  return `${file}: ${rows} rows, ${bytes} bytes${encrypted}.`;
}
