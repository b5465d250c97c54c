import { setTimeout as sleep } from 'node:timers/promises';
import { startTcpProxy, type TcpProxy } from '@tocsin/testing';
import { createTestDatabase, type TestDatabase } from '@tocsin/testing/database';
import { createDatabase, type Database, type DatabaseOptions } from '../src/connection.js';
import { isDatabaseUnavailable } from '../src/errors.js';

let db: TestDatabase;
let wire: TcpProxy;
let database: Database;

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());
afterEach(async () => {
  wire.thaw();
  await database.close();
  await wire.close();
});

async function open(options: Partial<DatabaseOptions>) {
  wire = await startTcpProxy(db.url);
  database = createDatabase({ url: wire.url, applicationName: 'test', poolSize: 4, ...options });
  await one();
}

const one = () => database.prepared({ name: 'one', text: 'select 1' }, []);

/** How a call ends, and after how many milliseconds. */
async function timed(call: () => Promise<unknown>) {
  const startedAtMs = performance.now();
  const outcome = await call().then(
    () => 'answered' as const,
    (error: unknown) => (isDatabaseUnavailable(error) ? ('away' as const) : error),
  );
  return { outcome, tookMs: performance.now() - startedAtMs };
}

test('callers of a database that has fallen silent are refused at once, and served as soon as it answers', async () => {
  await open({ refuseAfterMs: 300, statementTimeoutMs: 20_000, acquireTimeoutMs: 10_000 });
  wire.freeze();
  const first = timed(one);
  await sleep(400);
  const later: Promise<{ outcome: unknown; tookMs: number }>[] = [];
  for (let count = 0; count < 50; count += 1) {
    later.push(
      timed(count % 2 === 0 ? one : () => database.knex.transaction(async (trx) => trx.raw('select 1'))),
    );
    await sleep(20);
  }
  const refused = await Promise.all(later);
  expect(refused.filter(({ outcome }) => outcome === 'away')).toHaveLength(50);
  expect(Math.max(...refused.map(({ tookMs }) => tookMs))).toBeLessThan(1_000);
  wire.thaw();
  expect((await first).outcome).toBe('answered');
  expect((await timed(one)).outcome).toBe('answered');
});

test('a statement that takes long is no silence: whoever comes meanwhile is served', async () => {
  await open({ refuseAfterMs: 100 });
  const slow = database.knex.raw('select pg_sleep(1)');
  await sleep(300);
  const others = await Promise.all(Array.from({ length: 10 }, () => timed(one)));
  expect(others.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 10 }, () => 'answered'));
  await slow;
});

test('a statement on a frozen connection ends as the database being away, and its connection is not used again', async () => {
  await open({ statementTimeoutMs: 200, poolSize: 1 });
  wire.freeze();
  expect((await timed(one)).outcome).toBe('away');
  wire.thaw();
  expect((await timed(one)).outcome).toBe('answered');
});

test('a transaction that the server ended while it lay frozen ends as the database being away', async () => {
  await open({});
  const { outcome } = await timed(() =>
    database.knex.transaction(async (trx) => {
      await trx.raw('set local idle_in_transaction_session_timeout = 50');
      wire.freeze();
      await sleep(300);
      setTimeout(() => wire.thaw(), 100);
      await trx.raw('select 1');
    }),
  );
  expect(outcome).toBe('away');
});
