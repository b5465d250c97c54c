import { findFreePorts } from '@tocsin/local';
import { until } from '@tocsin/testing';
import { useWorkerHarness } from './support/worker-harness.js';

// One worker, the leader, dispatches for all workers. The tests kill, freeze or stop it, and another worker must become
// the leader.

const takeoverMs = 5_000;
const count = 200;

const harness = useWorkerHarness({ each: 'test' });

async function startWorker() {
  const [port = 0] = await findFreePorts(1);
  const program = harness.startProcess({ METRICS_PORT: String(port) });
  const readMetrics = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    const lines = (await response.text()).split('\n').filter((line) => line.startsWith('tocsin_'));
    return new Map(lines.map((line) => [line.split(/[ {]/)[0], Number(line.split(' ').at(-1))]));
  };
  const leads = async () => (await readMetrics()).get('tocsin_leader') === 1;
  await until(
    'it serves metrics',
    () =>
      leads().then(
        () => true,
        () => false,
      ),
    { timeoutMs: 30_000 },
  );
  return { ...program, readMetrics, leads };
}

type Worker = Awaited<ReturnType<typeof startWorker>>;

/** Starts two workers. Returns the leader first; the other worker starts after it. */
async function startTwoWorkers(): Promise<[Worker, Worker]> {
  const leader = await startWorker();
  await until('the first one leads', leader.leads, { timeoutMs: 30_000 });
  const follower = await startWorker();
  await until('both have a lease', async () => (await harness.database.knex('workers')).length === 2);
  // A worker releases the claims of others only after it has renewed its own lease for two seconds.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  return [leader, follower];
}

/** Writes deliveries that only the dispatcher can start. Waits until all have succeeded, each after one request. */
async function dispatchAll(): Promise<void> {
  const { id, path } = await harness.addTarget();
  await harness.write(Array.from({ length: count }, () => harness.plan([id])));
  await until('all have arrived', () => harness.destination.at(path).length >= count, { timeoutMs: 60_000 });
  await until('all have succeeded', async () => {
    const succeeded = await harness.database
      .knex('deliveries')
      .where({ webhook_id: id, status: 'succeeded' });
    return succeeded.length === count;
  });
  expect(harness.destination.at(path)).toHaveLength(count);
}

/** Starts two workers, sends `signal` to the leader, and waits until the other one leads. */
async function replaceLeader(signal: 'SIGKILL' | 'SIGSTOP') {
  const [leader, follower] = await startTwoWorkers();
  leader.child.kill(signal);
  await until('the other one leads', follower.leads, { timeoutMs: takeoverMs });
  return [leader, follower] as const;
}

test('only the leader of two workers dispatches and exports the metrics of the backlog', async () => {
  const [leader, follower] = await startTwoWorkers();
  await dispatchAll();
  // The follower may have reported the backlog once at its start, before its first lease. It removes these
  // metrics at its next check, five seconds later.
  await until(
    'the follower has no backlog metrics',
    async () => !(await follower.readMetrics()).has('tocsin_deliveries_due'),
  );
  const [led, followed] = [await leader.readMetrics(), await follower.readMetrics()];
  expect([led.get('tocsin_leader'), followed.get('tocsin_leader')]).toEqual([1, 0]);
  expect(led.get('tocsin_dispatch_passes_total')).toBeGreaterThan(1);
  expect(followed.get('tocsin_dispatch_passes_total')).toBe(0);
  expect([led.has('tocsin_deliveries_due'), followed.has('tocsin_deliveries_due')]).toEqual([true, false]);
}, 120_000);

test('a killed leader is replaced within five seconds, and no delivery is lost or repeated', async () => {
  await replaceLeader('SIGKILL');
  await dispatchAll();
}, 120_000);

test('a frozen leader is replaced within five seconds, and does not lead when it continues', async () => {
  const [leader, follower] = await replaceLeader('SIGSTOP');
  // The broker sends messages to the frozen worker too. After missed heartbeats, the broker closes the connection of
  // that worker and sends these messages to the other worker.
  await dispatchAll();
  await until('it has lost its lease', async () => (await harness.database.knex('workers')).length === 1);
  leader.child.kill('SIGCONT');
  await until('it has a lease again', async () => (await harness.database.knex('workers')).length === 2);
  await dispatchAll();
  expect([await leader.leads(), await follower.leads()]).toEqual([false, true]);
}, 120_000);

test('a leader that stops is replaced within two seconds', async () => {
  const [leader, follower] = await startTwoWorkers();
  leader.child.kill('SIGTERM');
  expect(await leader.ended).toBe(0);
  await until('the other one leads', follower.leads, { timeoutMs: 2_000 });
}, 120_000);
