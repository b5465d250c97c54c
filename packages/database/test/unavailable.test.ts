import { randomUUID } from 'node:crypto';
import { createEmptyTestDatabase, createTestDatabase, type TestDatabase } from '@tocsin/testing/database';
import { createDatabase, type Database } from '../src/connection.js';
import { classifyDatabaseError, toUnavailableError } from '../src/errors.js';

let db: TestDatabase;
/** From where the other can be shut. */
let elsewhere: TestDatabase;
let name: string;
const role = `tocsin_role_${randomUUID().replaceAll('-', '')}`;
/** Opened in each test, as somebody who has no rights beyond his own. */
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

/** What a call throws. */
async function thrown(call: () => Promise<unknown>): Promise<Error> {
  return call().then(
    () => {
      throw new Error('It was answered.');
    },
    (error) => error,
  );
}

test.each([
  ['a role that does not exist', { user: 'nobody_of_this_name' }, '', ''],
  ['a role that may not log in', {}, 'alter role ROLE nologin', 'alter role ROLE login'],
  ['a database that does not exist', { to: 'none_of_this_name' }, '', ''],
  [
    'a database that takes no connections',
    {},
    'alter database NAME with allow_connections false',
    'alter database NAME with allow_connections true',
  ],
  [
    'a right to connect that was taken away',
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
  '%s is the database being away, whatever is asked, until it is mended',
  async (_, options, spoil, mend) => {
    const filled = (sql: string) => sql.replace('NAME', name).replace('ROLE', role);
    open(options);
    if (spoil !== '') await ask(filled(spoil));
    const errors = [await thrown(one), await thrown(() => database.knex.transaction(async () => {}))];
    if (mend !== '') await ask(filled(mend));
    for (const error of errors) {
      expect(classifyDatabaseError(error)).toBe('unavailable');
      expect(toUnavailableError(error)).toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
    }
    if (mend !== '') expect(await one()).toEqual([{ one: 1 }]);
  },
);

const write = 'select lo_create(0)';

test.each([
  ['a statement', () => database.prepared({ name: 'write', text: write }, [])],
  ['a transaction', () => database.knex.transaction((trx) => trx.raw(write))],
])(
  '%s that finds the database read-only finds it away, and its session is not used again',
  async (_, work) => {
    open();
    await ask(`alter database ${name} set default_transaction_read_only = on`);
    await one();
    await ask(`alter database ${name} reset default_transaction_read_only`);
    expect(classifyDatabaseError(await thrown(work))).toBe('unavailable');
    expect(await work()).toBeDefined();
  },
);

test('waiting for what another has locked ends after its limit, as time that ran out and not as the database being away', async () => {
  open({ lockTimeoutMs: 50 });
  const lock = `select pg_advisory_xact_lock(1)`;
  await db.database.knex.transaction(async (trx) => {
    await trx.raw(lock);
    const error = await thrown(() => database.knex.raw(lock));
    expect(classifyDatabaseError(error)).toBe('timeout');
    expect(toUnavailableError(error)).toMatchObject({ code: 'unavailable' });
  });
});

test('a statement that may not do what it wants is not the database being away', async () => {
  open();
  const error = await thrown(() => database.knex.raw('select * from webhooks'));
  expect(classifyDatabaseError(error)).toBe('other');
  expect(toUnavailableError(error)).toBe(error);
});

test('a column of another type, or statements that were discarded, are no fault of a statement', async () => {
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
