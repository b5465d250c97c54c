import { error, response, startDeliverer } from '../../test/support/deliverer.js';

test('a pause is committed before the outcome that caused it', async () => {
  const { deliverOne, commits } = startDeliverer({ result: response(503, { retryAfterSeconds: 60 }) });
  await deliverOne();
  expect(commits).toEqual(['pause', 'record']);
});

test('the end of a pause is committed before the outcome that caused it', async () => {
  const { deliverOne, commits } = startDeliverer();
  await deliverOne({ pause: { reason: 'circuit', remainingMs: 0, times: 3 } });
  expect(commits).toEqual(['resume w', 'record']);
});

test('the delay of a retry has a random jitter of up to 20 %', async () => {
  const afterMs = async (random: number) => {
    const { outcome } = await startDeliverer({ result: error('timeout'), random }).deliverOne({ step: 1 });
    return outcome.kind === 'retry' && [outcome.afterMs, outcome.step];
  };
  expect([await afterMs(0), await afterMs(1)]).toEqual([
    [24_000, 2],
    [36_000, 2],
  ]);
});

test('a timeout fails the delivery if its webhook has retries on timeout turned off', async () => {
  const webhook = { version: 1, enabled: true, retryOnTimeout: false };
  const { outcome, attempt } = await startDeliverer({ result: error('timeout') }).deliverOne({ webhook });
  expect(outcome).toEqual({ kind: 'failed', failure: { code: 'timeout', error: 'A sentence.' } });
  expect(attempt).toMatchObject({ response: undefined, failure: { code: 'timeout' }, note: undefined });
});

test('an attempt records request, response, start, duration and trigger', async () => {
  const result = response(200, { location: '/l', retryAfter: 'soon', bodyNote: 'cut', truncated: true });
  const { attempt } = await startDeliverer({ result }).deliverOne();
  expect(attempt).toEqual({
    trigger: 'scheduled',
    startedAt: new Date(1_700_000_000_000),
    durationMs: 7,
    destination: 'w',
    requestBody: '{}',
    response: { statusCode: 200, body: 'a text', truncated: true, location: '/l', retryAfter: 'soon' },
    failure: undefined,
    note: 'The connection ended before the response body did.',
  });
  expect((await startDeliverer().deliverOne({ manual: true })).attempt?.trigger).toBe('manual');
});

test('a fault of this worker does not change the responsiveness of the webhook', async () => {
  const { deliverOne, slots } = startDeliverer({ result: error('internal_error') });
  await deliverOne();
  expect(slots.responsivenessOf('w')).toBe('unknown');
  slots.observe('w', 1);
  await deliverOne();
  expect(slots.responsivenessOf('w')).toBe('responsive');
  const { deliverOne: deliverElsewhere, slots: others } = startDeliverer();
  await deliverElsewhere();
  expect(others.responsivenessOf('w')).toBe('responsive');
});

test('a delivery that ends without a request is recorded without an attempt', async () => {
  const { deliverOne, sent, slots } = startDeliverer();
  expect(await deliverOne({ webhook: undefined })).toMatchObject({
    outcome: { kind: 'failed', failure: { code: 'webhook_deleted' } },
    attempt: undefined,
  });
  expect([sent, slots.inUse()]).toEqual([[], 0]);
});

test.each([
  ['responds with 500 at once', 'responsive', response(500)],
  ['does not respond', 'unknown', error('timeout')],
])('if the destination %s, the webhook is %s', async (_, state, result) => {
  const { deliverOne, slots } = startDeliverer({ result });
  slots.observe('w', 1);
  await deliverOne();
  expect(slots.responsivenessOf('w')).toBe(state);
});

test('the options of a webhook set timeout, headers and retry schedule of its deliveries', async () => {
  const options = {
    retryScheduleMs: [1_000],
    timeoutMs: 7_000,
    rateLimit: undefined,
    signingKeys: undefined,
    idempotencyHeader: 'X-Id',
    manualPauses: [],
  };
  const { deliverOne, requests } = startDeliverer({ options, result: response(503) });
  const { claimed: delivery, outcome } = await deliverOne();
  expect(requests).toEqual([
    { url: 'w', headers: {}, body: '{}', rawHeaders: ['X-Id', delivery.deliveryId], timeoutMs: 7_000 },
  ]);
  expect(outcome).toMatchObject({ kind: 'retry', afterMs: 1_000, step: 1 });
});

test('secrets are redacted before header values are cut; `isCut` says if the body was truncated', async () => {
  const location = 'l'.repeat(3_000);
  const retryAfter = 'r'.repeat(200);
  const result = response(503, { location, retryAfter, truncated: true });
  const { deliverOne, redacted } = startDeliverer({ result });
  const { attempt } = await deliverOne();
  expect(redacted.sort()).toEqual([
    [200, false],
    [3_000, false],
    ['a text'.length, true],
  ]);
  expect([attempt?.response?.location, attempt?.response?.retryAfter]).toEqual([
    'l'.repeat(2_048),
    'r'.repeat(128),
  ]);
});

test('a Location that is cut within a character ends with a replacement character', async () => {
  const result = response(302, { location: `${'l'.repeat(2_047)}\u{1f600}` });
  const { attempt } = await startDeliverer({ result }).deliverOne();
  expect(attempt?.response?.location).toBe(`${'l'.repeat(2_047)}\ufffd`);
});

test('the log line of an attempt has the number of the attempt, counted from 1', async () => {
  const { deliverOne, logged } = startDeliverer({ result: response(503) });
  await deliverOne({ step: 2 });
  expect(logged).toMatchObject([{ step: 2, outcome: 'retry', status_code: 503, duration_ms: 7 }]);
});

test('a rendered body that is not JSON is recorded and not sent', async () => {
  const render = () => ({ ok: false, code: 'invalid_json', error: 'No JSON.', output: '{' }) as const;
  const { deliverOne, sent } = startDeliverer({ render });
  expect(await deliverOne()).toMatchObject({ attempt: undefined, rendered: '{' });
  expect(sent).toEqual([]);
});
