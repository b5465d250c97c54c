import { fileURLToPath } from 'node:url';
import { startProgram } from '@tocsin/testing';
import {
  createEmptyTestDatabase,
  createTestDatabase,
  type TestDatabase,
  untilLockWaits,
} from '@tocsin/testing/database';
import type { Knex } from 'knex';
import { createDatabase, type Database } from '../src/connection.js';
import { migrateDatabase } from '../src/migrate-database.js';
import { migrations } from '../src/migrations/index.js';
import { checkSchema } from '../src/schema-reader.js';

const applicationName = 'tocsin-migrate';
const namesOfMigrations = migrations.map(({ name }) => name);

const databases: TestDatabase[] = [];
afterEach(async () => {
  for (const db of databases.splice(0)) await db.drop();
});

async function open(create: () => Promise<TestDatabase>): Promise<TestDatabase> {
  const db = await create();
  databases.push(db);
  return db;
}

const script = fileURLToPath(new URL('../dist/migrate.js', import.meta.url));

/** Runs the command for migrations in a child process. */
function startMigrations(url: string) {
  const { child, ended, output } = startProgram(script, { ...process.env, DATABASE_URL: url });
  return { child, ended: ended.then((code) => ({ code, output: output() })) };
}

async function appliedTo({ knex }: Database): Promise<string[]> {
  return knex('schema_migrations').orderBy('id').pluck('name');
}

/** Blocks the creation of a table with this name until `release` is called, so that a migration must wait. */
async function block({ url, database }: TestDatabase, table: string) {
  const blocker = createDatabase({ url, applicationName: 'blocker', poolSize: 1 });
  const trx = await blocker.knex.transaction();
  await trx.raw(`create table ${table} ()`);
  return {
    untilBlocked: (sessions: number) => untilLockWaits(database, { sessions, applicationName }),
    async release() {
      await trx.rollback();
      await blocker.close();
    },
  };
}

test('two concurrent processes on an empty database apply each migration once', async () => {
  const db = await open(createEmptyTestDatabase);
  const blocker = await block(db, 'schema_migrations');
  const both = [startMigrations(db.url), startMigrations(db.url)];
  await blocker.untilBlocked(2);
  await blocker.release();
  const outputs = await Promise.all(both.map(({ ended }) => ended));
  expect(outputs.map(({ code }) => code)).toEqual([0, 0]);
  expect(outputs.filter(({ output }) => output.startsWith('Applied 0001'))).toHaveLength(1);
  expect(await appliedTo(db.database)).toEqual(namesOfMigrations);
});

test('a killed migration leaves no changes and does not block the next one', async () => {
  const db = await open(createEmptyTestDatabase);
  const blocker = await block(db, 'webhooks');
  const { child, ended } = startMigrations(db.url);
  await blocker.untilBlocked(1);
  child.kill('SIGKILL');
  await ended;
  const next = startMigrations(db.url);
  await blocker.release();
  expect(await next.ended).toMatchObject({ code: 0, output: expect.stringMatching(/^Applied 0001/) });
  expect(await appliedTo(db.database)).toEqual(namesOfMigrations);
});

test('a migration waits at most two seconds at a time for a lock, so that reads can continue', async () => {
  const { url, database } = await open(createTestDatabase);
  const next = {
    name: '0002-next',
    up: (knex: Knex) => knex.raw('alter table api_keys add column next smallint'),
  };
  const migrator = createDatabase({ url, applicationName, poolSize: 1 });
  const reader = await database.knex.transaction();
  await reader.raw('select from api_keys');
  const migrated = migrateDatabase(migrator, [...migrations, next]).finally(() => migrator.close());
  await untilLockWaits(database, { applicationName });
  await database.knex.raw(`set statement_timeout = '15s'; select from api_keys; reset statement_timeout`);
  await reader.commit();
  expect(await migrated).toEqual({ applied: ['0002-next'], later: [] });
});

test('the schema of a later version is not changed, and the output names the later migrations', async () => {
  const { url, database } = await open(createTestDatabase);
  await database.knex('schema_migrations').insert({ name: '9999-of-the-next-version', batch: 2 });
  const { code, output } = await startMigrations(url).ended;
  expect([code, output]).toEqual([
    0,
    'The database is up to date.\nIts schema is from a later version, with the migrations 9999-of-the-next-version.\n',
  ]);
  await checkSchema(database);
});

test.each([
  ['of an unreleased version', ['0001-webhooks-and-rules', '0002-alerts-and-deliveries']],
  ['of another product', ['9999-of-somebody-else']],
])('a schema %s is not changed, and the error suggests npm run reset', async (_, names) => {
  const { url, database } = await open(createTestDatabase);
  await database.knex('schema_migrations').delete();
  await database.knex('schema_migrations').insert(names.map((name) => ({ name, batch: 1 })));
  const { code, output } = await startMigrations(url).ended;
  expect([code, output]).toEqual([1, expect.stringContaining('run `npm run reset`')]);
  expect(await appliedTo(database)).toEqual(names);
});

test('a schema with an unknown migration before the known ones is rejected', async () => {
  const { database } = await open(createTestDatabase);
  await database.knex('schema_migrations').insert({ name: '0000-of-somebody-else', batch: 1 });
  await expect(migrateDatabase(database)).rejects.toThrow(/not from this version or a later one: 0000-of-/);
});

test('the schema check fails for an empty database and for an earlier version', async () => {
  const { database } = await open(createEmptyTestDatabase);
  await expect(checkSchema(database)).rejects.toThrow(/run the migrations/);
  await migrateDatabase(database);
  await checkSchema(database);
  await database
    .knex('schema_migrations')
    .where({ name: namesOfMigrations.at(-1) })
    .delete();
  await expect(checkSchema(database)).rejects.toThrow(/run the migrations/);
});

test('the list of migrations is in alphabetical order', () => {
  expect([...namesOfMigrations].sort()).toEqual(namesOfMigrations);
});
