import { type ArchiveManifest, readArchiveFile, readManifests } from './archive-files.js';
import type { Database, Transaction } from './connection.js';
import { createPartitionsOfDay } from './partitions-repository.js';
import { firstIdAt } from './record-id.js';
import { runCommand } from './run-command.js';

/**
 * The command `restore-archive.js DAY…` inserts the rows of archived days, such as 2026-11-22, into a database with the
 * schema of Tocsin. This should be a separate database: in the database of a running system, retention would archive
 * the days again.
 */
await runCommand({
  name: 'The restore',
  applicationName: 'tocsin-restore-archive',
  env: process.env,
  readSettings: (read) => {
    const days = process.argv.slice(2);
    if (days.length === 0 || days.some((day) => Number.isNaN(toMs(day))))
      read.problem('days are expected as arguments, such as 2026-11-22');
    return { directory: read.string('ARCHIVE_DIRECTORY'), days };
  },
  async run(database, { directory, days }, print) {
    for (const day of days) {
      const rows = await restoreDay(database, day, directory);
      print(
        `${day}: ${Object.entries(rows)
          .map(([table, count]) => `${count} ${table}`)
          .join(', ')}.`,
      );
    }
    return [];
  },
});

function toMs(day: string): number {
  return /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : Number.NaN;
}

/** Inserts the rows of all files of a day in one transaction. Returns the number of rows by table. */
async function restoreDay(
  { knex }: Database,
  day: string,
  directory: string,
): Promise<Record<string, number>> {
  const manifests = await readManifests(directory, day);
  if (manifests.length === 0) throw new Error(`${directory} has no manifest of ${day}`);
  const dayMs = 86_400_000;
  return knex.transaction(async (trx) => {
    await trx.raw('set local idle_in_transaction_session_timeout = 0');
    await createPartitionsOfDay(trx, toMs(day) / dayMs);
    const rows: Record<string, number> = {};
    for (const manifest of manifests) {
      await restoreTable(trx, manifest, directory);
      rows[manifest.table] = (rows[manifest.table] ?? 0) + manifest.rows;
    }
    await trx.raw(
      `insert into alert_keys (workspace_id, alert_id, accepted_at)
       select workspace_id, alert_id, accepted_at from alerts where id >= ? and id < ? on conflict do nothing`,
      [firstIdAt(toMs(day)), firstIdAt(toMs(day) + dayMs)],
    );
    return rows;
  });
}

/**
 * Inserts the rows of one file. Columns that were added to the schema after the file was written get their default
 * values.
 */
async function restoreTable(trx: Transaction, manifest: ArchiveManifest, directory: string): Promise<void> {
  const { table, columns } = manifest;
  if (!['alerts', 'deliveries', 'attempts'].includes(table) || !columns.every((name) => /^\w+$/.test(name)))
    throw new Error(`${manifest.file} has an unknown table or column`);
  const names = columns.join(', ');
  await readArchiveFile(directory, manifest, async (lines) => {
    await trx.raw(
      `insert into ${table} (${names}) select ${names} from json_populate_recordset(null::${table}, ?::json)`,
      [`[${lines.join(',')}]`],
    );
  });
}
