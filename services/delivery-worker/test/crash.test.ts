import { type Program, until } from '@tocsin/testing';
import { createWorkerHarness, type WorkerHarness } from './support/worker-harness.js';

const testTimeoutMs = 600_000;
const waitOptions = { timeoutMs: testTimeoutMs };

let harness: WorkerHarness;
let worker: ReturnType<typeof keepWorker>;

beforeEach(async () => {
  harness = await createWorkerHarness();
  worker = keepWorker(harness);
});
afterEach(async () => {
  await worker.stop();
  await harness.close();
});

/**
 * Runs a worker process and starts a new one after each crash. The lease of the crashed process is removed, so that the
 * new process can release the claims of the crashed one at once.
 */
function keepWorker({ startProcess, database }: WorkerHarness) {
  let program: Program;
  let wanted = true;
  let deaths = 0;
  const keep = async () => {
    while (wanted) {
      program = startProcess({ LOG_LEVEL: 'fatal' });
      await program.ended;
      deaths += 1;
      await database.knex('workers').delete();
    }
  };
  const kept = keep();
  return {
    kill: () => program.child.kill('SIGKILL'),
    deaths: () => deaths,
    async stop() {
      wanted = false;
      program.child.kill('SIGKILL');
      await kept;
    },
  };
}

/** Makes all waiting deliveries due, so that the test does not wait for their delays. */
const skipWaits = () =>
  harness.database.knex('open_deliveries').where('due_at', '>', new Date()).update({ due_at: new Date() });

test(
  'a delivery that crashes its worker eight times fails, and other deliveries succeed',
  async () => {
    const bad = await harness.addTarget();
    const good = await Promise.all(Array.from({ length: 10 }, () => harness.addTarget()));
    // The worker is killed while the other requests are in flight without a response.
    harness.destination.respond(bad.path, () => setTimeout(() => worker.kill(), 200));
    for (const { path } of good)
      harness.destination.respond(path, (_, response) => setTimeout(() => response.end('ok'), 600));
    await harness.write([harness.plan([bad.id, ...good.map(({ id }) => id)])]);
    const rows = await until(
      'all have ended',
      async () => {
        await skipWaits();
        const ended = await harness.database.knex('deliveries').whereNot({ status: 'open' });
        return ended.length === 11 && ended;
      },
      waitOptions,
    );
    const others = rows.filter((row) => row.webhook_id !== bad.id);
    expect(new Set(others.map((row) => row.status))).toEqual(new Set(['succeeded']));
    expect(rows.find((row) => row.webhook_id === bad.id)).toMatchObject({
      status: 'failed',
      error_code: 'crashes_worker',
    });
    expect(harness.destination.at(bad.path)).toHaveLength(8);
  },
  testTimeoutMs,
);

test(
  'a delivery that was in flight during seven crashes is claimed an eighth time and succeeds',
  async () => {
    const { id, path } = await harness.addTarget();
    let isSlow = true;
    harness.destination.respond(path, (_, response) => {
      if (!isSlow) response.end('ok');
    });
    await harness.write([harness.plan([id])]);
    for (let kill = 1; kill <= 7; kill += 1) {
      const isInFlight = async () => {
        await skipWaits();
        return harness.destination.at(path).length === kill;
      };
      await until(`request ${kill} is in flight`, isInFlight, waitOptions);
      isSlow = kill < 7;
      worker.kill();
      await until('the worker has died', () => worker.deaths() === kill, waitOptions);
    }
    const ended = async () => {
      await skipWaits();
      return (await harness.database.knex('open_deliveries').first()) === undefined;
    };
    await until('the delivery has ended', ended, waitOptions);
    expect(harness.destination.at(path)).toHaveLength(8);
    const [delivery] = await harness.database.knex('deliveries').where({ webhook_id: id });
    expect(delivery).toMatchObject({ status: 'succeeded', attempts_made: 1 });
  },
  testTimeoutMs,
);

test(
  'no delivery fails when its worker is killed six times in a row under load',
  async () => {
    const targets = await Promise.all(Array.from({ length: 3 }, () => harness.addTarget()));
    for (const { path } of targets)
      harness.destination.respond(path, (_, response) => setTimeout(() => response.end('ok'), 200));
    const load = () => harness.write([harness.plan(targets.map(({ id }) => id))]);
    await load();
    for (let kill = 1; kill <= 6; kill += 1) {
      const before = harness.destination.received.length;
      const isInFlight = async () => {
        await skipWaits();
        return harness.destination.received.length > before;
      };
      await until('requests are in flight', isInFlight, waitOptions);
      worker.kill();
      await until('the worker has died', () => worker.deaths() === kill, waitOptions);
      await load();
    }
    await until(
      'all have ended',
      async () => {
        await skipWaits();
        return (await harness.database.knex('open_deliveries').first()) === undefined;
      },
      waitOptions,
    );
    const rows = await harness.database.knex('deliveries');
    expect(new Set(rows.map((row) => row.status))).toEqual(new Set(['succeeded']));
  },
  testTimeoutMs,
);
