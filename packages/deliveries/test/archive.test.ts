// Retention moves attempts after two weeks, and whole days after three months, to the schema `archive`. The built
// commands write these tables to files and restore them into another database.
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { ensurePartitions, readArchiveAge } from '@tocsin/database';
import { dropExpiredDays, removeExpiredAttempts } from '@tocsin/deliveries';
import { startProgram, until } from '@tocsin/testing';
import {
  createTestDatabase,
  insertAlert,
  insertAttempt,
  insertDelivery,
  type TestDatabase,
} from '@tocsin/testing/database';

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 10, 22, 12);
const day = '2026-11-22';

let db: TestDatabase;
let directory: string;
beforeEach(async () => {
  db = await createTestDatabase();
  directory = mkdtempSync(join(tmpdir(), 'tocsin-archive-'));
  await ensurePartitions(db.database, nowMs);
});
afterEach(async () => {
  rmSync(directory, { recursive: true });
  await db.drop();
});

function start(command: string, { url = db.url, args = [] as string[], ARCHIVE_DIRECTORY = directory } = {}) {
  const file = fileURLToPath(new URL(`../../database/dist/${command}.js`, import.meta.url));
  return startProgram(file, { DATABASE_URL: url, ARCHIVE_DIRECTORY }, { args });
}

async function run(...given: Parameters<typeof start>) {
  const program = start(...given);
  const code = await program.ended;
  return { code, output: program.output() };
}

const texts = ['Ünïcode "quoted" \\ \u2028 line\n separator', '', '{"a": -0.0}'];

/** Inserts alerts of the day, each with a delivery and an attempt. Returns the ids of the deliveries. */
async function addDay(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const acceptedAtMs = nowMs + index;
    const labels = { team: texts[index % texts.length]!, b: '2', a: '1' };
    const alert = await insertAlert(db.database, { acceptedAtMs, labels });
    const text = { requestBody: texts[index % texts.length]!, rendered: index % 2 ? 'no JSON' : undefined };
    ids.push(
      await insertDelivery(db.database, {
        ...alert,
        acceptedAtMs,
        response: 'a response',
        ...definedOnly(text),
      }),
    );
  }
  return ids;
}

function definedOnly<T extends object>(fields: T): { [K in keyof T]: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

const retention = (daysLater: number, retentionDays: number) => ({
  nowMs: nowMs + daysLater * dayMs,
  retentionDays,
  archive: true,
});
const expireAttempts = () => removeExpiredAttempts(db.database, retention(15, 14));
const expireDays = () => dropExpiredDays(db.database, retention(91, 90));
const waiting = async (): Promise<string[]> => {
  const { rows } = await db.database.knex.raw(
    `select relname from pg_class where relnamespace = 'archive'::regnamespace and relkind = 'r' order by 1`,
  );
  return rows
    .map(({ relname }: { relname: string }) => relname)
    .filter((name: string) => name.endsWith('20261122'));
};
/** Returns the rows of a table, each as one text with all columns. */
const contentOf = async ({ database }: TestDatabase, table: string): Promise<string[]> => {
  const { rows } = await database.knex.raw(`select t::text as row from ${table} t order by 1`);
  return rows.map(({ row }: { row: string }) => row);
};
const filesOfDay = () =>
  readdirSync(directory)
    .filter((name) => name.includes(day))
    .sort();
const manifestOf = (name: string) =>
  JSON.parse(readFileSync(join(directory, `${name}.jsonl.gz.json`), 'utf8'));

test('an expired day is archived in files with manifests, and restored rows equal the originals', async () => {
  const [first = ''] = await addDay(250);
  const before = {
    alerts: await contentOf(db, 'alerts'),
    deliveries: await contentOf(db, 'deliveries'),
    alert_keys: await contentOf(db, 'alert_keys'),
  };
  const attempts = await contentOf(db, 'attempts');
  await expireAttempts();
  await insertAttempt(db.database, { workspaceId: randomUUID(), id: first, number: 2, response: 'late' });
  await db.database.knex('attempts').update({ started_at: new Date(nowMs) });
  const late = await contentOf(db, 'attempts');
  expect(late).toHaveLength(1);
  // Attempts that a redelivery has added to an emptied partition are kept until the day of the partition expires, even
  // if they are older than the retention of attempts.
  await expireAttempts();
  expect(await contentOf(db, 'attempts')).toEqual(late);
  await expireDays();
  const tables = ['alerts', 'attempts', 'deliveries', 'late_attempts'].map((name) => `${name}_20261122`);
  expect(await waiting()).toEqual(tables);
  expect(await contentOf(db, 'alerts')).toEqual([]);

  const { code, output } = await run('archive');
  expect([code, output]).toEqual([0, expect.stringContaining(`deliveries-${day}.jsonl.gz: 250 rows`)]);
  expect(await waiting()).toEqual([]);
  expect(manifestOf(`attempts-${day}`)).toMatchObject({ table: 'attempts', day, rows: 250, key_ids: ['k1'] });
  expect(manifestOf(`late-attempts-${day}`)).toMatchObject({ table: 'attempts', rows: 1 });
  expect(manifestOf(`alerts-${day}`)).toMatchObject({ rows: 250, key_ids: [] });
  const lines = gunzipSync(readFileSync(join(directory, `deliveries-${day}.jsonl.gz`)))
    .toString()
    .trim()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line).id)).toContain(first);

  const other = await createTestDatabase();
  const restored = await run('restore-archive', { url: other.url, args: [day] });
  expect(restored).toEqual({
    code: 0,
    output: expect.stringContaining('250 alerts, 251 attempts, 250 deliveries'),
  });
  expect(await contentOf(other, 'attempts')).toEqual([...attempts, ...late].sort());
  for (const [table, rows] of Object.entries(before)) expect(await contentOf(other, table)).toEqual(rows);
  // A second restore fails because the rows exist already, and changes nothing.
  expect((await run('restore-archive', { url: other.url, args: [day] })).code).toBe(1);
  expect(await contentOf(other, 'alerts')).toEqual(before.alerts);
  await other.drop();
}, 60_000);

test('a killed archive run leaves no file under its final name; the next run writes all rows', async () => {
  await addDay(1);
  // The command `archive` takes seconds to compress these rows, so the test can kill it before it ends.
  await db.database.knex.raw(
    `insert into attempts select delivery_id, claim + n, number, trigger, started_at, duration_ms, destination,
       '\\x026b31' || (select string_agg(sha256((n * 1000 + i)::text::bytea), '') from generate_series(1, 60) i)
     from attempts, generate_series(1, 40000) n`,
  );
  await expireAttempts();
  const partial = join(directory, `attempts-${day}.jsonl.gz.partial`);
  const program = start('archive');
  await until('a part of the file is written', () => {
    if (program.child.exitCode !== null) throw new Error(program.output());
    return existsSync(partial) && statSync(partial).size > 65_536;
  });
  program.child.kill('SIGKILL');
  await program.ended;
  expect(filesOfDay()).toEqual([`attempts-${day}.jsonl.gz.partial`]);
  expect(await waiting()).toEqual(['attempts_20261122']);
  await until('the server has ended the session', async () => {
    const { rows } = await db.database.knex.raw(
      `select from pg_stat_activity where application_name = 'tocsin-archive' and datname = current_database()`,
    );
    return rows.length === 0;
  });
  expect((await run('archive')).code).toBe(0);
  expect(filesOfDay()).toEqual([`attempts-${day}.jsonl.gz`, `attempts-${day}.jsonl.gz.json`]);
  expect(manifestOf(`attempts-${day}`).rows).toBe(40_001);
}, 60_000);

test('with a full disk or a missing directory, the archive run fails and keeps the table', async () => {
  await addDay(3);
  await expireAttempts();
  symlinkSync('/dev/full', join(directory, `attempts-${day}.jsonl.gz.partial`));
  const full = await run('archive');
  expect(full).toEqual({
    code: 1,
    output: expect.stringMatching(/archive\.attempts_20261122 was not archived and is kept: ENOSPC/),
  });
  const missing = await run('archive', { ARCHIVE_DIRECTORY: join(directory, 'none') });
  expect(missing).toEqual({ code: 1, output: expect.stringMatching(/is kept: ENOENT/) });
  expect([filesOfDay(), await waiting()]).toEqual([[], ['attempts_20261122']]);
  expect(await readArchiveAge(db.database)).not.toBe(0);
  expect((await run('archive')).code).toBe(0);
  expect(await readArchiveAge(db.database)).toBe(0);
});

test('a run names a table that a backup reads, archives the others, and is repeated later', async () => {
  await addDay(3);
  await expireAttempts();
  await expireDays();
  expect(await waiting()).toHaveLength(4);
  await db.database.knex.transaction(async (reader) => {
    await reader.raw('select count(*) from archive.alerts_20261122');
    const output = expect.stringMatching(
      /archive\.alerts_20261122 is kept, because another session reads it/,
    );
    expect(await run('archive')).toEqual({ code: 1, output });
  });
  expect(await waiting()).toEqual(['alerts_20261122']);
  expect((await run('archive')).code).toBe(0);
  expect(await waiting()).toEqual([]);
}, 60_000);

test('a file of a large table is the same after a scan that stopped in the middle', async () => {
  await addDay(1);
  const { knex } = db.database;
  // PostgreSQL synchronizes the scans of tables that are larger than a quarter of its buffers. Compression would make
  // the table smaller.
  await knex.raw('alter table attempts_20261122 alter exchange_encrypted set storage plain');
  await knex.raw(
    `insert into attempts (delivery_id, claim, number, trigger, started_at, duration_ms, destination, exchange_encrypted)
     select delivery_id, n, n, trigger, started_at, duration_ms, destination, convert_to(repeat('x', 3500), 'UTF8')
     from attempts cross join generate_series(2, 20000) n`,
  );
  await expireAttempts();
  const read = async () => {
    const pages = await knex.raw(`select ctid::text as at from archive.attempts_20261122 limit 9000`);
    return pages.rows[0].at;
  };
  expect(await read()).not.toBe(await read());
  await knex.transaction(async (reader) => {
    await reader.raw('lock table archive.attempts_20261122 in access share mode');
    expect((await run('archive')).code).toBe(1);
  });
  await read();
  expect(await run('archive')).toMatchObject({ code: 0 });
}, 60_000);

test('a modified archive file is not restored, and archiving keeps a file that has other rows', async () => {
  await addDay(3);
  await expireAttempts();
  await run('archive');
  const file = join(directory, `attempts-${day}.jsonl.gz`);
  const bytes = readFileSync(file);
  await addDay(1);
  await db.database.knex.raw(`comment on table attempts_20261122 is null`);
  await expireAttempts();
  const again = await run('archive');
  expect(again).toEqual({ code: 1, output: expect.stringContaining('exists with other rows') });
  expect([readFileSync(file), await waiting()]).toEqual([bytes, ['attempts_20261122']]);

  bytes[bytes.length - 1]! ^= 1;
  writeFileSync(file, bytes);
  const other = await createTestDatabase();
  expect((await run('restore-archive', { url: other.url, args: [day] })).code).toBe(1);
  expect(await contentOf(other, 'attempts')).toEqual([]);
  await other.drop();
});

test('a day with an open delivery is not archived, even if attempts of the delivery are archived', async () => {
  const [id = ''] = await addDay(1);
  await expireAttempts();
  await db.database.knex('deliveries').where({ id }).update({ status: 'open' });
  await db.database.knex('open_deliveries').insert({
    delivery_id: id,
    workspace_id: randomUUID(),
    webhook_id: randomUUID(),
    alert_record_id: randomUUID(),
    run: 1,
    state: 'waiting',
    due_at: new Date(),
    opened_at: new Date(),
    claim: 1,
  });
  expect((await expireDays()).dropped).not.toContain('deliveries_20261122');
  expect(await waiting()).toEqual(['attempts_20261122']);
  await db.database.knex('open_deliveries').delete();
  await expireDays();
  expect(await waiting()).toContain('deliveries_20261122');
});
