import { createCancellation } from './cancellation.js';
import type { Connection } from './connection.js';
import { type ConnectionPoolOptions, createConnectionPool } from './connection-pool.js';
import { toDestination } from './destination.js';

interface FakeConnection extends Connection {
  isOpen: boolean;
  openedAtMs: number;
  end(): void;
}

function startPool(options: Partial<ConnectionPoolOptions> = {}) {
  const opened: FakeConnection[] = [];
  const pool = createConnectionPool({
    open: async ({ origin }, _cancellation, onClosed) => {
      const connection: FakeConnection = {
        origin,
        openedAtMs: performance.now(),
        isOpen: true,
        request: () => Promise.reject(new Error('not used')),
        close: async () => connection.end(),
        end() {
          connection.isOpen = false;
          onClosed(connection);
        },
      };
      opened.push(connection);
      return connection;
    },
    maxIdlePerDestination: 2,
    maxIdle: 3,
    maxAgeMs: 60_000,
    ...options,
  });
  const acquire = (host: string) =>
    pool.acquire(toDestination(new URL(`http://${host}`)), createCancellation());
  return { pool, opened, acquire };
}

test('a released connection is reused for the same destination only', async () => {
  const { pool, acquire } = startPool();
  const first = await acquire('a');
  pool.release(first);
  expect(await acquire('b')).not.toBe(first);
  expect(await acquire('a')).toBe(first);
});

test('a request does not wait for a connection in use', async () => {
  const { opened, acquire } = startPool();
  await Promise.all([acquire('a'), acquire('a'), acquire('a')]);
  expect(opened).toHaveLength(3);
});

test('the number of idle connections is limited for each destination', async () => {
  const { pool, opened, acquire } = startPool();
  const connections = await Promise.all([acquire('a'), acquire('a'), acquire('a')]);
  for (const connection of connections) pool.release(connection);
  expect(opened.map(({ isOpen }) => isOpen)).toEqual([true, true, false]);
});

test('the total number of idle connections is limited, and the longest idle one is closed', async () => {
  const { pool, opened, acquire } = startPool();
  for (const host of ['a', 'b', 'c', 'd']) pool.release(await acquire(host));
  expect(opened.map(({ isOpen }) => isOpen)).toEqual([false, true, true, true]);
  expect(await acquire('a')).toBe(opened[4]);
});

test('a connection that closed while idle is not reused', async () => {
  const { pool, opened, acquire } = startPool();
  pool.release(await acquire('a'));
  opened[0]?.end();
  expect(await acquire('a')).toBe(opened[1]);
});

test('a connection above its maximum age is closed and not reused', async () => {
  const { pool, opened, acquire } = startPool();
  pool.release(await acquire('a'));
  if (opened[0]) opened[0].openedAtMs -= 60_000;
  expect(await acquire('a')).toBe(opened[1]);
  expect(opened[0]?.isOpen).toBe(false);
});

test('the most recently used connection of a destination is reused first', async () => {
  const { pool, opened, acquire } = startPool();
  for (const connection of await Promise.all([acquire('a'), acquire('a')])) pool.release(connection);
  expect([await acquire('a'), await acquire('a')]).toEqual([opened[1], opened[0]]);
});

test.each<[string, (connection: FakeConnection) => void]>([
  [
    'is above its maximum age',
    (connection) => {
      connection.openedAtMs -= 60_000;
    },
  ],
  ['has closed during its request', (connection) => connection.end()],
])('a released connection that %s is closed and not kept', async (_, change) => {
  const { pool, opened, acquire } = startPool();
  const connection = await acquire('a');
  change(opened[0]!);
  pool.release(connection);
  expect(opened[0]?.isOpen).toBe(false);
  expect(await acquire('a')).toBe(opened[1]);
});

test('closing the pool closes idle connections at once, and connections in use at their release', async () => {
  const { pool, opened, acquire } = startPool();
  pool.release(await acquire('a'));
  const used = await acquire('b');
  await pool.close();
  expect(opened.map(({ isOpen }) => isOpen)).toEqual([false, true]);
  pool.release(used);
  expect(opened.map(({ isOpen }) => isOpen)).toEqual([false, false]);
});
