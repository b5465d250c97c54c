import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcessHost, findFreePorts, startPostgres } from '@tocsin/local';
import { until } from '@tocsin/testing';
import { createWorkerHarness, type WorkerHarness } from './support/worker-harness.js';

// The test changes a setting of the whole PostgreSQL server, so it starts a server of its own.

const processes = createProcessHost();
let harness: WorkerHarness;

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-read-only-'));
  chmodSync(directory, 0o711);
  processes.removeAtEnd(directory);
  const [port = 0] = await findFreePorts(1);
  const { url: serverUrl } = await startPostgres({
    processes,
    directory: join(directory, 'postgres'),
    logFile: join(directory, 'postgres.log'),
    port,
    durable: false,
  });
  harness = await createWorkerHarness({}, { serverUrl });
}, 60_000);
afterAll(async () => {
  await harness.close();
  await processes.killAll();
  processes.close();
});

async function setReadOnly(value: 'on' | 'off') {
  await harness.database.knex.raw(`alter system set default_transaction_read_only = ${value}`);
  await harness.database.knex.raw('select pg_reload_conf()');
}

/** Fires an alert every 20 ms. Returns a function that stops the load and resolves to the number of fired alerts. */
function startLoad(ruleId: string) {
  let isStopped = false;
  const fireUntilStopped = async () => {
    let fired = 0;
    for (; !isStopped; fired += 1) {
      await harness.fire(ruleId);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return fired;
  };
  const firing = fireUntilStopped();
  return () => {
    isStopped = true;
    return firing;
  };
}

test('a database that becomes read-only is reported, and every alert is delivered afterwards', async () => {
  const target = await harness.addTarget();
  harness.destination.respond(target.path, (_, response) => setTimeout(() => response.end('ok'), 100));
  const [metricsPort = 0] = await findFreePorts(1);
  const metrics = { host: '127.0.0.1', port: metricsPort };
  const worker = await harness.startWorker({ metrics });
  const readiness = () => fetch(`http://127.0.0.1:${worker.port}/readyz`);
  const writable = async () => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return /^tocsin_database_writable\S* (\d)$/m.exec(text)?.[1];
  };
  const succeeded = async () =>
    (await harness.database.knex('deliveries').where({ status: 'succeeded' })).length;

  const stopLoad = startLoad(await harness.addRule([target.id]));
  await until('deliveries succeed', async () => (await succeeded()) > 50);
  expect([(await readiness()).status, await writable()]).toEqual([200, '1']);

  await setReadOnly('on');
  const sinceMs = performance.now();
  const problem = await until(
    'the worker is not ready',
    async () => {
      const response = await readiness();
      return response.status === 503 && (await response.json());
    },
    { timeoutMs: 30_000 },
  );
  expect(performance.now() - sinceMs).toBeGreaterThan(9_000);
  expect(problem).toMatchObject({
    detail: expect.stringContaining('The database is read-only.'),
    failing: ['database'],
  });
  expect(await writable()).toBe('0');

  await setReadOnly('off');
  await until('the worker is ready', async () => (await readiness()).status === 200);
  expect(await writable()).toBe('1');
  const fired = await stopLoad();
  await until('all are delivered', async () => (await succeeded()) === fired, { timeoutMs: 60_000 });
  expect(harness.destination.at(target.path)).toHaveLength(fired);
}, 150_000);
