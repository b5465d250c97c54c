import { until } from '@tocsin/testing';
import { insertSigningSecret } from '@tocsin/testing/database';
import { Webhook } from 'standardwebhooks';
import { useWorkerHarness } from './support/worker-harness.js';

const harness = useWorkerHarness();
beforeAll(() => harness.startWorker());

const body = '{"text": "{{ model_name }} é 💥"}';

async function fireAt(target: { id: string }) {
  const alertId = await harness.fire(await harness.addRule([target.id]));
  const delivery = await until('the delivery exists', async () => (await harness.deliveriesOf(alertId))[0]);
  return { id: delivery.id as string };
}

const settled = (id: string) =>
  until('the delivery has ended', async () => {
    const row = await harness.delivery(id);
    return row.status !== 'open' && row;
  });

const addSecret = (webhookId: string, options: { expiresAt?: Date } = {}) =>
  insertSigningSecret(harness.database, { workspaceId: harness.workspaceId, webhookId, ...options });

function headersOf({ rawHeaders }: { rawHeaders: string[] }): Record<string, string> {
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  return Object.fromEntries(names.map((name, index) => [name.toLowerCase(), rawHeaders[2 * index + 1]!]));
}

const respondWith = (path: string, statuses: number[]) =>
  harness.destination.respond(path, (_, response) => {
    response.statusCode = statuses.shift() ?? 200;
    response.end();
  });

test.each([
  ['an empty schedule', [], 1],
  ['a schedule of two steps', [20, 20], 3],
])('%s determines the number of attempts of a failing delivery', async (_, retry_schedule_ms, attempts) => {
  const target = await harness.addTarget({ columns: { retry_schedule_ms } });
  respondWith(target.path, Array(10).fill(500));
  const { id } = await fireAt(target);
  expect(await settled(id)).toMatchObject({
    status: 'failed',
    attempts_made: attempts,
    error_code: 'http_status',
  });
});

test('a failed attempt is the last if the retry schedule was shortened below the steps used', async () => {
  const target = await harness.addTarget({ columns: { retry_schedule_ms: [20, 100, 100] } });
  respondWith(target.path, Array(10).fill(500));
  const { id } = await fireAt(target);
  await until('it was tried twice', () => harness.destination.at(target.path).length === 2);
  await harness.database
    .knex('webhooks')
    .where({ id: target.id })
    .update({ retry_schedule_ms: [20], version: 2 });
  expect(await settled(id)).toMatchObject({ status: 'failed', attempts_made: 3 });
});

test('a request ends at the timeout of its webhook', async () => {
  const target = await harness.addTarget({ columns: { timeout_ms: 1_000, retry_on_timeout: false } });
  harness.destination.respond(target.path, () => {});
  const { id } = await fireAt(target);
  expect(await settled(id)).toMatchObject({ status: 'failed', error_code: 'timeout' });
  const [attempt] = await harness.attempts(id);
  expect(attempt.duration_ms).toBeGreaterThanOrEqual(1_000);
  expect(attempt.duration_ms).toBeLessThan(2_500);
});

test('each attempt is signed with all secrets of the webhook that have not expired', async () => {
  const target = await harness.addTarget({ body, columns: { signing: true, retry_schedule_ms: [1_100] } });
  const secrets = [
    await addSecret(target.id),
    await addSecret(target.id, { expiresAt: new Date(Date.now() + 60_000) }),
  ];
  const expired = await addSecret(target.id, { expiresAt: new Date(Date.now() - 1) });
  respondWith(target.path, [500]);
  const { id } = await fireAt(target);
  expect(await settled(id)).toMatchObject({ status: 'succeeded', attempts_made: 2 });
  const requests = harness.destination.at(target.path);
  expect(requests).toHaveLength(2);
  for (const request of requests) {
    const headers = headersOf(request);
    expect(headers['webhook-id']).toBe(id);
    expect(headers['webhook-signature']!.split(' ')).toHaveLength(2);
    for (const secret of secrets)
      expect(new Webhook(secret).verify(request.body, headers)).toEqual({ text: 'churn "v2" é 💥' });
    expect(() => new Webhook(expired).verify(request.body, headers)).toThrow('No matching signature');
    const forged = request.body.replace('churn', 'Churn');
    expect(() => new Webhook(secrets[0]!).verify(forged, headers)).toThrow('No matching signature');
  }
  const [first, second] = requests.map((request) => Number(headersOf(request)['webhook-timestamp']));
  expect(second! - first!).toBeGreaterThanOrEqual(1);
  expect(Math.abs(first! - Date.now() / 1_000)).toBeLessThan(30);
});

test.each([{ signing: true, idempotency_header: 'X-Delivery' }, { idempotency_header: 'X-Delivery' }])(
  'the options %j of a webhook add only their own headers to the request',
  async (columns) => {
    const target = await harness.addTarget({ columns, headers: { 'X-Team': ['a'] } });
    await addSecret(target.id);
    const { id } = await fireAt(target);
    await settled(id);
    const [request] = harness.destination.at(target.path);
    const names = request!.rawHeaders.filter((_, index) => index % 2 === 0);
    expect(names.slice(2)).toEqual([
      'X-Team',
      ...('signing' in columns ? ['webhook-id', 'webhook-timestamp', 'webhook-signature'] : []),
      'X-Delivery',
      'content-length',
    ]);
    expect(headersOf(request!)['x-delivery']).toBe(id);
  },
);

test('no request is sent for a signing webhook whose only secret has expired', async () => {
  const target = await harness.addTarget({ columns: { signing: true } });
  await addSecret(target.id, { expiresAt: new Date(Date.now() - 1) });
  const { id } = await fireAt(target);
  const waiting = await until('it waits for a secret', async () => {
    const open = await harness.open(id);
    return open?.waiting_reason === 'no_signing_secret' && open;
  });
  expect(waiting).toMatchObject({ state: 'waiting', step: 0 });
  expect(harness.destination.at(target.path)).toHaveLength(0);
  const secret = await addSecret(target.id);
  await harness.database.knex('open_deliveries').where({ delivery_id: id }).update({ due_at: new Date() });
  await settled(id);
  const [request] = harness.destination.at(target.path);
  expect(() => new Webhook(secret).verify(request!.body, headersOf(request!))).not.toThrow();
});

test('the error of a delivery that expires while it waits for a signing secret names the secret', async () => {
  const target = await harness.addTarget({ columns: { signing: true } });
  const { id } = await fireAt(target);
  await until('it waits', async () => (await harness.open(id))?.waiting_reason === 'no_signing_secret');
  await harness.database
    .knex('open_deliveries')
    .where({ delivery_id: id })
    .update({ opened_at: new Date(Date.now() - 61_000), due_at: new Date() });
  const row = await settled(id);
  expect(row).toMatchObject({ status: 'failed', error_code: 'expired' });
  expect(row.error).toContain('signing secret');
});

test('the age of a delivery excludes manual pauses of its webhook', async () => {
  const { knex } = harness.database;
  const target = await harness.addTarget();
  const [aged, expired] = [harness.plan([target.id]), harness.plan([target.id])];
  await knex('webhook_pauses').insert({
    webhook_id: target.id,
    reason: 'manual',
    paused_until: new Date(Date.now() + 60_000),
    times: 0,
  });
  const until_ = (ms: number) => new Date(Date.now() - ms).toISOString();
  await knex('webhooks')
    .where({ id: target.id })
    .update({
      manual_pauses: `{[${until_(120_000)},${until_(1_000)})}`,
    });
  await harness.write([aged, expired]);
  const [agedId, expiredId] = [aged.deliveries[0]!.id, expired.deliveries[0]!.id];
  await knex('open_deliveries')
    .where({ delivery_id: agedId })
    .update({ opened_at: new Date(Date.now() - 100_000), due_at: new Date(0) });
  await knex('open_deliveries')
    .where({ delivery_id: expiredId })
    .update({ opened_at: new Date(Date.now() - 300_000), due_at: new Date(0) });
  await knex('webhook_pauses').where({ webhook_id: target.id }).delete();
  expect(await settled(agedId)).toMatchObject({ status: 'succeeded' });
  expect(await settled(expiredId)).toMatchObject({ status: 'failed', error_code: 'expired' });
});

test('a failure neither shortens nor replaces a manual pause', async () => {
  const target = await harness.addTarget();
  const pausedUntil = new Date(Date.now() + 60_000);
  const manual = { webhook_id: target.id, reason: 'manual', paused_until: pausedUntil, times: 0 };
  await harness.database.knex('webhook_pauses').insert(manual);
  const change = {
    webhookId: target.id,
    version: 1,
    reason: 'circuit',
    forMs: 120_000,
    times: 1,
    error: '',
  } as const;
  await harness.pauses.pause([change]);
  await harness.pauses.resume(target.id);
  const row = () => harness.database.knex('webhook_pauses').where({ webhook_id: target.id }).first();
  expect(await row()).toMatchObject({ reason: 'manual', paused_until: pausedUntil });
  await harness.database.knex('webhook_pauses').update({ paused_until: new Date(Date.now() - 1) });
  await harness.pauses.pause([change]);
  expect(await row()).toMatchObject({ reason: 'circuit' });
  await harness.pauses.resume(target.id);
  expect(await row()).toBeUndefined();
});
