import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '@tocsin/kit/testing';
import { createStage, type Stage } from './support/stage.js';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const patienceMs = 600_000;
const patience = { timeoutMs: patienceMs };
const leaseMs = 14_000;

let stage: Stage;
let worker: ReturnType<typeof keepWorker>;

beforeEach(async () => {
  stage = await createStage();
  worker = keepWorker(stage);
});
afterEach(async () => {
  await worker.stop();
  await stage.close();
});

/** A worker's process that is started again whenever it has died; what it had claimed has run out by then. */
function keepWorker({ config, database }: Stage) {
  const env = {
    HOST: '127.0.0.1',
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'fatal',
    // Suspects wait for it, and a request needs 12 s of it.
    CLAIM_LEASE: `${leaseMs}ms`,
    DATABASE_URL: config.databaseUrl.reveal(),
    AMQP_URL: config.amqpUrl.reveal(),
    SECRETS_KEYS: config.secretsKeys.reveal(),
    EGRESS_ALLOW: config.egress.allow.join(','),
  };
  let child: ChildProcess;
  let wanted = true;
  let deaths = 0;
  const births: number[] = [];
  const keep = async () => {
    while (wanted) {
      births.push(Date.now());
      child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', 'inherit'] });
      await once(child, 'exit');
      deaths += 1;
      await database
        .knex('open_deliveries')
        .where({ claimed: true })
        .update({ lease_until: new Date(0) });
    }
  };
  const kept = keep();
  return {
    kill: () => child.kill('SIGKILL'),
    deaths: () => deaths,
    /** Of the worker that lived at that time. */
    ageAt: (atMs: number) => atMs - Math.max(...births.filter((birth) => birth <= atMs)),
    async stop() {
      wanted = false;
      child.kill('SIGKILL');
      await kept;
    },
  };
}

/** What waits for its time need not be waited for. */
const skipWaits = () =>
  stage.database.knex('open_deliveries').where('due_at', '>', new Date()).update({ due_at: new Date() });

test(
  'a delivery that kills its worker each time fails as such, and those that were beside it each time succeed',
  async () => {
    const bad = await stage.addTarget();
    const good = await Promise.all(Array.from({ length: 10 }, () => stage.addTarget()));
    // The others are under way by then, and have no answer yet.
    stage.destination.answer(bad.path, () => setTimeout(() => worker.kill(), 200));
    for (const { path } of good)
      stage.destination.answer(path, (_, response) => setTimeout(() => response.end('ok'), 600));
    await stage.write([stage.plan([bad.id, ...good.map(({ id }) => id)])]);
    const rows = await until(
      'all have ended',
      async () => {
        await skipWaits();
        const ended = await stage.database.knex('deliveries').whereNot({ status: 'open' });
        return ended.length === 11 && ended;
      },
      patience,
    );
    const innocent = rows.filter((row) => row.webhook_id !== bad.id);
    expect(new Set(innocent.map((row) => row.status))).toEqual(new Set(['succeeded']));
    expect(rows.find((row) => row.webhook_id === bad.id)).toMatchObject({
      status: 'failed',
      error_code: 'crashes_worker',
    });
    expect(stage.destination.at(bad.path)).toHaveLength(5);
  },
  patienceMs,
);

test(
  'a delivery that was under way when its worker was killed, four times, is begun by older and older ones, and delivered',
  async () => {
    const [slow, quick] = [await stage.addTarget(), await stage.addTarget()];
    stage.destination.answer(slow.path, (_, response) => setTimeout(() => response.end('ok'), 8_000));
    await stage.write([stage.plan([slow.id])]);
    const openOf = async ({ id }: { id: string }) => {
      await skipWaits();
      return stage.database.knex('open_deliveries').where({ webhook_id: id }).first();
    };
    const begun = () => stage.destination.at(slow.path).length;
    const killIt = async () => {
      const deaths = worker.deaths();
      worker.kill();
      await until('it has died', () => worker.deaths() > deaths, patience);
    };
    for (let kill = 1; kill <= 4; kill += 1) {
      const isBegun = async () => (await openOf(slow)) !== undefined && begun() === kill;
      await until('the slow one is begun', isBegun, patience);
      await killIt();
    }
    for (let kill = 5; kill <= 10; kill += 1) {
      await stage.write([stage.plan([quick.id])]);
      await until('it is at work', async () => (await openOf(quick)) === undefined, patience);
      // On a slow machine one may have lived for long enough. A fifth death would be the last.
      if (begun() > 4) break;
      await killIt();
    }
    await until('it has ended', async () => (await openOf(slow)) === undefined, patience);
    const [, , , fourth = 0, fifth = 0] = stage.destination
      .at(slow.path)
      .map(({ atMs }) => worker.ageAt(atMs));
    expect(fourth).toBeGreaterThan(leaseMs);
    expect(fifth).toBeGreaterThan(2 * leaseMs);
    const [delivery] = await stage.database.knex('deliveries').where({ webhook_id: slow.id });
    expect(delivery).toMatchObject({ status: 'succeeded', attempts_made: 1 });
  },
  patienceMs,
);

test(
  'a worker that is killed six times in a row under load fails nothing for it',
  async () => {
    const targets = await Promise.all(Array.from({ length: 3 }, () => stage.addTarget()));
    for (const { path } of targets)
      stage.destination.answer(path, (_, response) => setTimeout(() => response.end('ok'), 200));
    const load = () => stage.write([stage.plan(targets.map(({ id }) => id))]);
    await load();
    for (let kill = 1; kill <= 6; kill += 1) {
      const before = stage.destination.received.length;
      const isUnderWay = async () => {
        await skipWaits();
        return stage.destination.received.length > before;
      };
      await until('requests are under way', isUnderWay, patience);
      worker.kill();
      await until('it has died', () => worker.deaths() === kill, patience);
      await load();
    }
    await until(
      'all have ended',
      async () => {
        await skipWaits();
        return (await stage.database.knex('open_deliveries').first()) === undefined;
      },
      patience,
    );
    const rows = await stage.database.knex('deliveries');
    expect(new Set(rows.map((row) => row.status))).toEqual(new Set(['succeeded']));
  },
  patienceMs,
);
