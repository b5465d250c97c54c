import { setTimeout as sleep } from 'node:timers/promises';
import { startTcpProxy, type TcpProxy } from '@tocsin/testing';
import { useTestDatabase } from '@tocsin/testing/database';
import { createDatabase, type Database, type DatabaseOptions } from '../src/connection.js';
import { classifyDatabaseError } from '../src/errors.js';

const db = useTestDatabase();
let proxy: TcpProxy;
let database: Database;
afterEach(async () => {
  proxy.thaw();
  await database.close();
  await proxy.close();
});

async function open(options: Partial<DatabaseOptions>) {
  proxy = await startTcpProxy(db.url);
  database = createDatabase({ url: proxy.url, applicationName: 'test', poolSize: 4, ...options });
  await one();
}

const one = () => database.prepared({ name: 'one', text: 'select 1' }, []);

/** Resolves to the duration of a call in milliseconds, and to `done` or the kind of its error. */
async function timed(call: () => Promise<unknown>) {
  const startedAtMs = performance.now();
  const outcome = await call().then(() => 'done' as const, classifyDatabaseError);
  return { outcome, tookMs: performance.now() - startedAtMs };
}

test('calls to an unresponsive database fail at once until a probe succeeds', async () => {
  await open({ circuitOpenAfterMs: 300, statementTimeoutMs: 20_000, acquireTimeoutMs: 10_000 });
  proxy.freeze();
  const first = timed(one);
  await sleep(400);
  const later: ReturnType<typeof timed>[] = [];
  for (let count = 0; count < 50; count += 1) {
    later.push(
      timed(count % 2 === 0 ? one : () => database.knex.transaction(async (trx) => trx.raw('select 1'))),
    );
    await sleep(20);
  }
  const results = await Promise.all(later);
  expect(results.filter(({ outcome }) => outcome === 'unavailable')).toHaveLength(50);
  expect(Math.max(...results.map(({ tookMs }) => tookMs))).toBeLessThan(1_000);
  proxy.thaw();
  expect((await first).outcome).toBe('done');
  expect((await timed(one)).outcome).toBe('done');
});

test('a long statement does not open the circuit breaker', async () => {
  await open({ circuitOpenAfterMs: 100 });
  const slow = database.knex.raw('select pg_sleep(1)');
  await sleep(300);
  const others = await Promise.all(Array.from({ length: 10 }, () => timed(one)));
  expect(others.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 10 }, () => 'done'));
  await slow;
});

test('a statement on a frozen connection fails as unavailable, and the connection is not reused', async () => {
  await open({ statementTimeoutMs: 200, poolSize: 1 });
  proxy.freeze();
  expect((await timed(one)).outcome).toBe('unavailable');
  proxy.thaw();
  expect((await timed(one)).outcome).toBe('done');
});

test('a connection that was idle for longer than the query timeout runs its next statement', async () => {
  await open({ statementTimeoutMs: 200, poolSize: 1 });
  await sleep(1_400);
  expect((await timed(one)).outcome).toBe('done');
  proxy.freeze();
  expect((await timed(one)).outcome).toBe('unavailable');
});

test('a statement in a frozen transaction fails about one second after the statement timeout', async () => {
  await open({ statementTimeoutMs: 200 });
  const { outcome, tookMs } = await timed(() =>
    database.knex.transaction(async (trx) => {
      await trx.raw('select 1');
      proxy.freeze();
      await trx.raw('select 1');
    }),
  );
  expect(outcome).toBe('unavailable');
  expect(tookMs).toBeLessThan(2_000);
});

test('a transaction that the server ended during a freeze fails as unavailable', async () => {
  await open({});
  const { outcome } = await timed(() =>
    database.knex.transaction(async (trx) => {
      await trx.raw('set local idle_in_transaction_session_timeout = 50');
      proxy.freeze();
      await sleep(300);
      setTimeout(() => proxy.thaw(), 100);
      await trx.raw('select 1');
    }),
  );
  expect(outcome).toBe('unavailable');
});
