import { Secret } from '@tocsin/kit';
import { startTcpProxy, until } from '@tocsin/testing';
import { useWorkerHarness } from './support/worker-harness.js';

// Worker processes are killed, frozen or disconnected while their requests are in flight.

const recoveryMs = 5_000;
const count = 20;

const harness = useWorkerHarness({ each: 'test' });

/** Adds targets that leave their first request without a response until `respond` is called. */
async function addTargets() {
  const targets = await Promise.all(Array.from({ length: count }, () => harness.addTarget()));
  const waiting: (() => void)[] = [];
  for (const { path } of targets)
    harness.destination.respond(path, (_, response) => {
      if (harness.destination.at(path).length === 1) waiting.push(() => response.end('ok'));
      else response.end('ok');
    });
  const respond = () => {
    for (const end of waiting.splice(0)) end();
  };
  return { targets, respond, inFlight: () => waiting.length };
}

type Targets = Awaited<ReturnType<typeof addTargets>>;

/** Fires an alert for all targets, and waits until all requests are in flight. */
async function startRequests({ targets, inFlight }: Targets) {
  await harness.fire(await harness.addRule(targets.map(({ id }) => id)));
  await until('all are in flight', () => inFlight() === count, { timeoutMs: 30_000 });
}

const leases = () => harness.database.knex('workers').select('id', 'name');
const untilWorkers = (wanted: number) =>
  until(`${wanted} workers have a lease`, async () => (await leases()).length === wanted, {
    timeoutMs: 30_000,
  });
const arrivals = ({ targets }: Targets) => targets.map(({ path }) => harness.destination.at(path).length);
const allSucceeded = () =>
  until(
    'all have succeeded',
    async () => (await harness.database.knex('deliveries').where({ status: 'succeeded' })).length === count,
    { timeoutMs: 60_000 },
  );

/** Returns the time until each target has received two requests, in milliseconds. */
async function timeToRepeat(targets: Targets): Promise<number> {
  const sinceMs = performance.now();
  await until('all are sent again', () => arrivals(targets).every((requests) => requests === 2), {
    timeoutMs: 60_000,
  });
  return performance.now() - sinceMs;
}

/** Starts a worker, and a second one when all requests of the first are in flight. Returns the first worker. */
async function startTwoWorkers(targets: Parameters<typeof startRequests>[0]) {
  const worker = harness.startProcess();
  await startRequests(targets);
  harness.startProcess();
  await untilWorkers(2);
  return worker;
}

test('another worker sends the deliveries of a killed worker within five seconds', async () => {
  const targets = await addTargets();
  const worker = await startTwoWorkers(targets);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  worker.child.kill('SIGKILL');
  expect(await timeToRepeat(targets)).toBeLessThan(recoveryMs);
  await allSucceeded();
  expect(await leases()).toHaveLength(1);
}, 120_000);

test('a worker that is restarted after a kill sends its deliveries within five seconds', async () => {
  const targets = await addTargets();
  const worker = harness.startProcess();
  await startRequests(targets);
  worker.child.kill('SIGKILL');
  await worker.ended;
  harness.startProcess();
  expect(await timeToRepeat(targets)).toBeLessThan(recoveryMs);
  await allSucceeded();
}, 120_000);

test('a frozen worker loses its deliveries and later only adds its late attempts', async () => {
  const targets = await addTargets();
  const worker = await startTwoWorkers(targets);
  worker.child.kill('SIGSTOP');
  await timeToRepeat(targets);
  await allSucceeded();
  targets.respond();
  worker.child.kill('SIGCONT');
  await until(
    'the late attempts are recorded',
    async () => (await harness.database.knex('deliveries').where({ attempts_made: 2 })).length === count,
    { timeoutMs: 60_000 },
  );
  expect(new Set(arrivals(targets))).toEqual(new Set([2]));
  await untilWorkers(2);
}, 120_000);

test('a worker that is frozen for 1.3 seconds keeps its deliveries', async () => {
  const targets = await addTargets();
  const worker = await startTwoWorkers(targets);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  worker.child.kill('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 1_300));
  worker.child.kill('SIGCONT');
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  targets.respond();
  await allSucceeded();
  expect(new Set(arrivals(targets))).toEqual(new Set([1]));
}, 120_000);

test.each([
  ['frozen', false],
  ['frozen and cut', true],
])(
  'no delivery is repeated after the database connections of all workers were %s for 8 s',
  async (_, cut) => {
    const proxies = await Promise.all([0, 1].map(() => startTcpProxy(harness.config.databaseUrl.reveal())));
    const targets = await addTargets();
    for (const { url } of proxies) await harness.startWorker({ databaseUrl: new Secret(url) });
    await startRequests(targets);
    for (const proxy of proxies) proxy.freeze();
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    targets.respond();
    for (const proxy of proxies) {
      if (cut) proxy.cut();
      proxy.thaw();
    }
    await allSucceeded();
    expect(new Set(arrivals(targets))).toEqual(new Set([1]));
    await Promise.all(harness.workers.splice(0).map((worker) => worker.close(12_000)));
    await Promise.all(proxies.map((proxy) => proxy.close()));
  },
  120_000,
);
