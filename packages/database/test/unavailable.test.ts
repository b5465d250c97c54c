import { randomUUID } from 'node:crypto';
import { createEmptyTestDatabase, createTestDatabase, type TestDatabase } from '@tocsin/testing/database';
import { createDatabase, type Database } from '../src/connection.js';
import { classifyDatabaseError, toUnavailableError } from '../src/errors.js';

let db: TestDatabase;
/** A second database. Its session runs the statements that make the first database unavailable. */
let elsewhere: TestDatabase;
let name: string;
const role = `tocsin_role_${randomUUID().replaceAll('-', '')}`;
/** The pool under test. Most tests open it with a role that has no privileges. */
let database: Database;

beforeAll(async () => {
  db = await createTestDatabase();
  elsewhere = await createEmptyTestDatabase();
  name = new URL(db.url).pathname.slice(1);
  await ask(`create role ${role} login password 'right'`);
});
afterAll(async () => {
  await db.drop();
  await ask(`drop role ${role}`);
  await elsewhere.drop();
});
afterEach(() => database.close());

const ask = (sql: string) => elsewhere.database.knex.raw(sql);

function open({ user = role, password = 'right', to = name, lockTimeoutMs = 0 } = {}) {
  const url = new URL(db.url);
  Object.assign(url, { username: user, password, pathname: `/${to}` });
  database = createDatabase({ url: url.href, applicationName: 'test', poolSize: 1, lockTimeoutMs });
}

const one = () => database.prepared({ name: 'one', text: 'select 1 as one' }, []);

/** Resolves to the error with which `call` rejects. Rejects if `call` succeeds. */
async function thrown(call: () => Promise<unknown>): Promise<Error> {
  return call().then(
    () => {
      throw new Error('The call did not fail.');
    },
    (error) => error,
  );
}

test.each([
  ['a role that does not exist', { user: 'nobody_of_this_name' }, '', ''],
  ['a role that may not log in', {}, 'alter role ROLE nologin', 'alter role ROLE login'],
  ['a database that does not exist', { to: 'none_of_this_name' }, '', ''],
  [
    'a database that accepts no connections',
    {},
    'alter database NAME with allow_connections false',
    'alter database NAME with allow_connections true',
  ],
  [
    'a revoked privilege to connect',
    {},
    'revoke connect on database NAME from public',
    'grant connect on database NAME to public',
  ],
  [
    'no connections left for the role',
    {},
    'alter role ROLE connection limit 0',
    'alter role ROLE connection limit -1',
  ],
])(
  'connecting fails as unavailable with %s, and succeeds after the cause is removed',
  async (_, options, damage, repair) => {
    const filled = (sql: string) => sql.replace('NAME', name).replace('ROLE', role);
    open(options);
    if (damage !== '') await ask(filled(damage));
    const errors = [await thrown(one), await thrown(() => database.knex.transaction(async () => {}))];
    if (repair !== '') await ask(filled(repair));
    for (const error of errors) {
      expect(classifyDatabaseError(error)).toBe('unavailable');
      expect(toUnavailableError(error)).toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
    }
    if (repair !== '') expect(await one()).toEqual([{ one: 1 }]);
  },
);

const write = 'select lo_create(0)';

test.each([
  ['a statement', () => database.prepared({ name: 'write', text: write }, [])],
  ['a transaction', () => database.knex.transaction((trx) => trx.raw(write))],
])('%s on a read-only database fails as unavailable, and its connection is not reused', async (_, work) => {
  open();
  await ask(`alter database ${name} set default_transaction_read_only = on`);
  await one();
  await ask(`alter database ${name} reset default_transaction_read_only`);
  expect(classifyDatabaseError(await thrown(work))).toBe('unavailable');
  expect(await work()).toBeDefined();
});

test('a statement that waits for a lock longer than the lock timeout fails as a timeout', async () => {
  open({ lockTimeoutMs: 50 });
  const lock = `select pg_advisory_xact_lock(1)`;
  await db.database.knex.transaction(async (trx) => {
    await trx.raw(lock);
    const error = await thrown(() => database.knex.raw(lock));
    expect(classifyDatabaseError(error)).toBe('timeout');
    expect(toUnavailableError(error)).toMatchObject({ code: 'unavailable' });
  });
});

test('a missing privilege on a table is not classified as an unavailable database', async () => {
  open();
  const error = await thrown(() => database.knex.raw('select * from webhooks'));
  expect(classifyDatabaseError(error)).toBe('other');
  expect(toUnavailableError(error)).toBe(error);
});

test('outdated and deallocated prepared statements are retried on a new connection', async () => {
  await db.database.knex.raw(
    'create table typed (n integer); insert into typed values (7); grant select on typed to public',
  );
  database = createDatabase({ url: db.url, applicationName: 'test', poolSize: 3 });
  const read = () => database.prepared({ name: 'read', text: 'select n from typed' }, []);
  await Promise.all([read(), read(), read()]);
  await db.database.knex.raw('alter table typed alter column n type bigint');
  expect(await read()).toEqual([{ n: '7' }]);
  await Promise.all([1, 2, 3].map(() => database.knex.raw('deallocate all')));
  expect(await Promise.all([read(), read(), read()])).toEqual([1, 2, 3].map(() => [{ n: '7' }]));
});

test('a statement that the server does not support fails at once and keeps its connection', async () => {
  database = createDatabase({ url: db.url, applicationName: 'test', poolSize: 1 });
  const backend = async () => (await database.knex.raw('select pg_backend_pid() as pid')).rows[0].pid;
  const before = await backend();
  const text = 'select count(*) from webhooks for update';
  const error = await thrown(() => database.prepared({ name: 'unsupported', text }, []));
  expect(error).toMatchObject({ code: '0A000' });
  expect(classifyDatabaseError(error)).toBe('other');
  expect(await backend()).toBe(before);
});
