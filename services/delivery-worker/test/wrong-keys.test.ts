import { randomBytes } from 'node:crypto';
import { createSecretBox, writeFirstCanary } from '@tocsin/database';
import { Secret } from '@tocsin/kit';
import { until } from '@tocsin/testing';
import { testSecretBox } from '@tocsin/testing/database';
import { useWorkerHarness } from './support/worker-harness.js';

const harness = useWorkerHarness({ each: 'test', retry: { scheduleMs: [], maxAgeMs: 600_000 } });

const wrongKeys = () => new Secret(`k1:${randomBytes(32).toString('base64')}`);
const readyz = async ({ port }: { port: number }) =>
  (await fetch(`http://127.0.0.1:${port}/readyz`)).json() as Promise<{ failing?: string[] }>;
const succeeded = (count: number, timeoutMs = 15_000) =>
  harness.ended(count, { status: 'succeeded', timeoutMs });
const notReady = {
  status: 503,
  failing: ['secrets'],
  dependencies: { database: 'ok', broker: 'ok', secrets: 'failing' },
  detail: expect.stringContaining('SECRETS_KEYS'),
};

test('a worker that cannot decrypt the canary is not ready, and another worker gets the alerts', async () => {
  await writeFirstCanary(harness.database, testSecretBox);
  const wrong = await harness.startWorker({ secretsKeys: wrongKeys() });
  const rule = await harness.addRule([(await harness.addTarget()).id]);
  const alertIds = await Promise.all(Array.from({ length: 20 }, () => harness.fire(rule)));
  // The worker connects to the broker shortly after its start. Until then, `/readyz` also reports the broker as
  // failing.
  await until('only its keys are wrong', async () => String((await readyz(wrong)).failing) === 'secrets');
  expect(await readyz(wrong)).toMatchObject(notReady);
  expect(await harness.alertsInQueue()).toBe(alertIds.length);
  expect(await harness.database.knex('alerts')).toEqual([]);

  await harness.startWorker();
  const rows = await succeeded(alertIds.length, 5_000);
  expect(new Set(rows.map((row) => row.attempts_made))).toEqual(new Set([1]));
});

test('a worker pauses its consumers while its keys do not decrypt the canary', async () => {
  await writeFirstCanary(harness.database, testSecretBox);
  const worker = await harness.startWorker();
  const rule = await harness.addRule([(await harness.addTarget()).id]);
  await harness.fire(rule);
  await succeeded(1);

  const canary = await harness.database.knex('secrets_canary').first();
  await harness.database.knex('secrets_canary').delete();
  await writeFirstCanary(harness.database, createSecretBox([{ id: 'k2', key: randomBytes(32) }]));
  await until('it is not ready', async () => 'failing' in (await readyz(worker)), { timeoutMs: 15_000 });
  await harness.fire(rule);
  await until('the alert stays in the queue', async () => (await harness.alertsInQueue()) === 1);

  await harness.database.knex('secrets_canary').update(canary);
  await succeeded(2);
});

test('if no canary is stored, a worker with wrong keys defers deliveries without an attempt', async () => {
  const targets = await Promise.all(Array.from({ length: 5 }, () => harness.addTarget()));
  await harness.write([harness.plan(targets.map(({ id }) => id))]);
  const wrong = await harness.startWorker({ secretsKeys: wrongKeys() });
  await until('it has deferred them all', async () => {
    const rows = await harness.database.knex('deliveries').where({ error_code: 'internal_error' });
    return rows.length === targets.length;
  });
  expect(await readyz(wrong)).toMatchObject({ status: 'ok' });
  await harness.startWorker();
  // The worker with the wrong keys can claim and defer a delivery several times before the other worker claims it. The
  // timeout is therefore long.
  for (const row of await succeeded(targets.length, 80_000))
    expect(row).toMatchObject({ attempts_made: 1, error_code: null });
}, 120_000);
