import { type Program, startTcpProxy, type TcpProxy, until } from '@tocsin/testing';
import { startBrokerProxy } from '@tocsin/testing/broker';
import { createWorkerHarness, type WorkerHarness } from './support/worker-harness.js';

// A worker process gets SIGTERM while its database is unavailable or its broker is unresponsive.

/**
 * Time within which the worker must stop in these tests, in milliseconds. `npm start` kills a process 26 s after the
 * signal.
 */
const maxStopMs = 15_000;

let harness: WorkerHarness;
let broker: Awaited<ReturnType<typeof startBrokerProxy>>;
let database: TcpProxy;
let worker: Program;

beforeEach(async () => {
  harness = await createWorkerHarness({ queuedLeaseMs: 1_000 });
  broker = await startBrokerProxy(harness.config.amqpUrl.reveal());
  database = await startTcpProxy(harness.config.databaseUrl.reveal());
});
afterEach(async () => {
  worker.child.kill('SIGKILL');
  await broker.close();
  await database.close();
  await harness.close();
});

function start() {
  worker = harness.startProcess({ DATABASE_URL: database.url, AMQP_URL: broker.url });
  return worker.ended.then((code) => ({ code, atMs: performance.now() }));
}

const delivered = (alertId: string) =>
  until('it is delivered', async () => (await harness.deliveriesOf(alertId))[0]?.status === 'succeeded', {
    timeoutMs: 60_000,
  });

test.each<[string, () => unknown]>([
  ['is frozen', () => broker.freeze()],
  [
    'blocks its publishers',
    () => {
      broker.stopReading();
      broker.sendBlocked();
    },
  ],
])(
  'a worker stops within 15 s if its broker %s, and no alert is lost',
  async (_, harm) => {
    const target = await harness.addTarget();
    const ruleId = await harness.addRule([target.id]);
    const exited = start();
    await delivered(await harness.fire(ruleId));
    harm();
    const alertId = await harness.fire(ruleId);
    const toldAtMs = performance.now();
    worker.child.kill('SIGTERM');
    const { code, atMs } = await exited;
    expect(code).toBe(0);
    expect(atMs - toldAtMs).toBeLessThan(maxStopMs);
    broker.cut();
    await harness.startWorker();
    await delivered(alertId);
  },
  150_000,
);

test('a worker whose database is unavailable stops within 15 s, and no alert is lost', async () => {
  const target = await harness.addTarget();
  const ruleId = await harness.addRule([target.id]);
  const exited = start();
  await delivered(await harness.fire(ruleId));
  await database.close();
  const alertId = await harness.fire(ruleId);
  await until('the alert waits for the database', () => worker.output().includes('database.unavailable'));
  const toldAtMs = performance.now();
  worker.child.kill('SIGTERM');
  const { code, atMs } = await exited;
  expect(code).toBe(0);
  expect(atMs - toldAtMs).toBeLessThan(maxStopMs);
  await harness.startWorker();
  await delivered(alertId);
}, 150_000);
