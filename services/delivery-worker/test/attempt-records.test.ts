import { startHttpReceiver, until } from '@tocsin/testing';
import { decryptAttemptRow, testSecretBox } from '@tocsin/testing/database';
import { useWorkerHarness, type WorkerHarness } from './support/worker-harness.js';

const harness = useWorkerHarness();
beforeAll(() => harness.startWorker());

type Responder = Parameters<WorkerHarness['destination']['respond']>[1];

/** Fires an alert for one webhook, and waits until `isDone` returns true for its delivery. */
async function deliver(
  { respond, body }: { respond?: Responder; body?: string },
  isDone = (row: { status: string }) => row.status !== 'open',
) {
  const target = await harness.addTarget({ ...(body !== undefined && { body }) });
  if (respond !== undefined) harness.destination.respond(target.path, respond);
  const alertId = await harness.fire(await harness.addRule([target.id]));
  const delivery = await until('the delivery is recorded', async () => {
    const [row] = await harness.deliveriesOf(alertId);
    return row !== undefined && isDone(row) && row;
  });
  const [attempt] = await harness.attempts(delivery.id);
  return { target, delivery, headers: attempt && readHeaders(attempt) };
}

/** Returns the decrypted response headers of an attempt. */
function readHeaders(attempt: Parameters<typeof decryptAttemptRow>[0]) {
  const { location, retryAfter } = decryptAttemptRow(attempt, harness);
  return { location, retryAfter };
}

/** Changes fields of a webhook and increases its version, like a request to the API. */
async function changeWebhook(id: string, change: { url?: string; body?: string }) {
  const { knex } = harness.database;
  const columns = Object.entries(change).map(([column, text]) => [
    `${column}_encrypted`,
    testSecretBox.encrypt(text, { workspaceId: harness.workspaceId, table: 'webhooks', id, column }),
  ]);
  const destination = change.url === undefined ? {} : { destination: new URL(change.url).origin };
  const values = { ...Object.fromEntries(columns), ...destination, version: knex.raw('version + 1') };
  await knex('webhooks').where({ id }).update(values);
}

test('each attempt records the host of its request, even if the url changes between attempts', async () => {
  const second = await startHttpReceiver();
  try {
    const target = await harness.addTarget();
    harness.destination.respond(target.path, async (_, response) => {
      await changeWebhook(target.id, { url: second.url('/new?token=s3cret') });
      response.writeHead(503).end();
    });
    const planned = harness.destination.url('').replace(/\/$/, '');
    const alertId = await harness.fire(await harness.addRule([target.id]));
    const delivery = await until('the second attempt has succeeded', async () => {
      const [row] = await harness.deliveriesOf(alertId);
      return row?.status === 'succeeded' && row;
    });
    const attempts = await harness.attempts(delivery.id);
    const sentTo = new URL(second.url('/')).origin;
    expect(attempts.map(({ destination }) => destination)).toEqual([new URL(planned).origin, sentTo]);
    expect(delivery.destination).toBe(sentTo);
    expect(second.received).toHaveLength(1);
  } finally {
    await second.close();
  }
});

test('after its first attempt, a delivery shows the host of the attempt, not the planned host', async () => {
  const target = await harness.addTarget();
  const planned = harness.plan([target.id]);
  const sentTo = new URL(harness.destination.url('/')).origin;
  expect(planned.deliveries[0]!.destination).not.toBe(sentTo);
  await harness.write([planned]);
  const delivery = await until('the delivery has succeeded', async () => {
    const row = await harness.delivery(planned.deliveries[0]!.id);
    return row.status === 'succeeded' && row;
  });
  expect(delivery.destination).toBe(sentTo);
});

test('a rendered text that is not JSON is stored encrypted until an attempt is recorded', async () => {
  const body = '{"a": {{ model_name }}}';
  const { target, delivery } = await deliver({ body });
  expect(delivery).toMatchObject({ status: 'failed', error_code: 'invalid_json', attempts_made: 0 });
  const { workspaceId } = harness;
  const location = { workspaceId, table: 'deliveries', id: delivery.id, column: 'rendered' };
  const rendered = testSecretBox.decrypt(delivery.rendered_encrypted, location).toString();
  expect(rendered).toBe('{"a": churn \\"v2\\"}');
  expect(delivery.rendered_encrypted.includes('churn')).toBe(false);
  expect(delivery.error).not.toContain('churn');

  await changeWebhook(target.id, { body: '{"a": "{{ model_name }}"}' });
  await harness.database.knex('deliveries').where({ id: delivery.id }).update({ status: 'open', run: 2 });
  await harness.database.knex('open_deliveries').insert({
    delivery_id: delivery.id,
    workspace_id: workspaceId,
    webhook_id: target.id,
    alert_record_id: delivery.alert_record_id,
    run: 2,
    state: 'waiting',
    due_at: new Date(),
    opened_at: new Date(),
    claim: delivery.claims,
  });
  const sent = await until('the delivery has succeeded', async () => {
    const row = await harness.delivery(delivery.id);
    return row.status === 'succeeded' && row;
  });
  expect(sent.rendered_encrypted).toBeNull();
});

test('a redirect is recorded with the first 2,048 characters of its Location', async () => {
  const location = `https://elsewhere.example/${'x'.repeat(10_240)}`;
  const { delivery, headers } = await deliver({
    respond: (_, response) => response.writeHead(302, { Location: location }).end(),
  });
  expect(delivery).toMatchObject({ status: 'failed', error_code: 'http_status', status_code: 302 });
  expect(headers).toEqual({ location: location.slice(0, 2_048) });
});

test('UTF-8 in a Location is stored; a cut surrogate pair and an invalid byte become U+FFFD', async () => {
  const long = `/${'x'.repeat(2_046)}😀`;
  for (const [sent, kept] of [
    [Buffer.from('/é/😀'), '/é/😀'],
    [Buffer.from(long), `${long.slice(0, 2_047)}\uFFFD`],
    [Buffer.from([0x2f, 0xff]), '/\uFFFD'],
  ] as const) {
    const { headers } = await deliver({
      respond: (_, response) => response.writeHead(301, { Location: sent.toString('latin1') }).end(),
    });
    expect(headers).toEqual({ location: kept });
  }
});

test.each([
  ['seconds', '0'],
  ['a date', 'Sun, 01 Mar 2020 12:01:30 GMT'],
  ['no valid value', 'soon; DROP TABLE'],
  ['129 characters', `${'9'.repeat(128)}!`],
])('Retry-After with %s is recorded as received, up to 128 characters', async (_, retryAfter) => {
  const { headers } = await deliver({
    respond: (_, response) => response.writeHead(400, { 'Retry-After': retryAfter }).end('no'),
  });
  expect(headers).toEqual({ retryAfter: retryAfter.slice(0, 128) });
});

test('secrets in Location and Retry-After are redacted before the values are cut', async () => {
  const secret = `Bearer ${'s'.repeat(40)}`;
  const target = await harness.addTarget({ headers: { Authorization: [secret] } });
  const location = `${'/x'.repeat(1_020)}?token=${secret.slice(7)}`;
  harness.destination.respond(target.path, (_, response) =>
    response.writeHead(302, { Location: location, 'Retry-After': secret }).end(),
  );
  const alertId = await harness.fire(await harness.addRule([target.id]));
  const delivery = await until('the delivery has failed', async () => {
    const [row] = await harness.deliveriesOf(alertId);
    return row?.status === 'failed' && row;
  });
  const [attempt] = await harness.attempts(delivery.id);
  const headers = readHeaders(attempt!);
  expect(headers.retryAfter).toBe('[redacted]');
  expect(headers.location).toHaveLength(2_048);
  expect(headers.location).not.toContain('sss');
});

test('no headers are stored for a response without Location and Retry-After', async () => {
  expect((await deliver({})).headers).toEqual({ location: undefined, retryAfter: undefined });
});

test('Retry-After pauses the webhook for its duration, and its delivery waits', async () => {
  const { target, delivery } = await deliver(
    { respond: (_, response) => response.writeHead(429, { 'Retry-After': '600' }).end() },
    (row) => (row as { attempts_made?: number }).attempts_made === 1,
  );
  const pause = await harness.database.knex('webhook_pauses').where({ webhook_id: target.id }).first();
  expect(pause).toMatchObject({
    reason: 'retry_after',
    error: 'The destination responded with status 429.',
  });
  const lasts = pause.paused_until.getTime() - pause.since.getTime();
  expect(lasts).toBe(600_000);
  expect(await harness.open(delivery.id)).toMatchObject({ state: 'waiting', waiting_reason: 'retry' });
});
