import { fileURLToPath } from 'node:url';
import { type Program, startProgram, startTcpProxy, type TcpProxy, until } from '@tocsin/testing';
import { startBrokerProxy } from '@tocsin/testing/broker';
import { createStage, type Stage } from './support/stage.js';

// A worker as it is shipped, told to stop while what it works on does not answer.

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
/** What the local stack waits before it kills. */
const graceMs = 15_000;

let stage: Stage;
let broker: Awaited<ReturnType<typeof startBrokerProxy>>;
let database: TcpProxy;
let worker: Program;

beforeEach(async () => {
  stage = await createStage({ leases: { queuedMs: 1_000, claimMs: 14_000 } });
  broker = await startBrokerProxy(stage.config.amqpUrl.reveal());
  database = await startTcpProxy(stage.config.databaseUrl.reveal());
});
afterEach(async () => {
  worker.child.kill('SIGKILL');
  await broker.close();
  await database.close();
  await stage.close();
});

function start() {
  worker = startProgram(main, {
    HOST: '127.0.0.1',
    PORT: '0',
    METRICS_PORT: '0',
    DATABASE_URL: database.url,
    AMQP_URL: broker.url,
    SECRETS_KEYS: stage.config.secretsKeys.reveal(),
    EGRESS_ALLOW: '127.0.0.0/8',
  });
  return worker.ended.then((code) => ({ code, atMs: performance.now() }));
}

const delivered = (alertId: string) =>
  until('it is delivered', async () => (await stage.deliveriesOf(alertId))[0]?.status === 'succeeded', {
    timeoutMs: 60_000,
  });

test.each<[string, () => unknown]>([
  ['is frozen', () => broker.freeze()],
  [
    'holds its publishers back',
    () => {
      broker.stopReading();
      broker.sendBlocked();
    },
  ],
])(
  'a worker whose broker %s stops in time, and nothing is lost',
  async (_, harm) => {
    const target = await stage.addTarget();
    const ruleId = await stage.addRule([target.id]);
    const exited = start();
    await delivered(await stage.fire(ruleId));
    harm();
    const alertId = await stage.fire(ruleId);
    const toldAtMs = performance.now();
    worker.child.kill('SIGTERM');
    const { code, atMs } = await exited;
    expect(code).toBe(0);
    expect(atMs - toldAtMs).toBeLessThan(graceMs);
    broker.cut();
    await stage.startWorker();
    await delivered(alertId);
  },
  150_000,
);

test('a worker whose database is away stops in time, and nothing is lost', async () => {
  const target = await stage.addTarget();
  const ruleId = await stage.addRule([target.id]);
  const exited = start();
  await delivered(await stage.fire(ruleId));
  await database.close();
  const alertId = await stage.fire(ruleId);
  await until('it is in hand and waits for the database', () =>
    worker.output().includes('database.unavailable'),
  );
  const toldAtMs = performance.now();
  worker.child.kill('SIGTERM');
  const { code, atMs } = await exited;
  expect(code).toBe(0);
  expect(atMs - toldAtMs).toBeLessThan(graceMs);
  await stage.startWorker();
  await delivered(alertId);
}, 150_000);
