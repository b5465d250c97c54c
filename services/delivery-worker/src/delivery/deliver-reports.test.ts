import { claimed, error, noBudget, response, settled, startDeliverer } from '../../test/support/deliverer.js';
import type { ClaimedDelivery } from './claimed-delivery.js';

const facts = { alert_id: 'alert' } as ClaimedDelivery['facts'];
const failure = { code: 'timeout', error: 'A sentence.' };
const gone = {
  kind: 'failed',
  failure: { code: 'webhook_deleted', error: expect.stringContaining('deleted') },
};
const pause = { reason: 'circuit', remainingMs: 100, times: 1 } as const;

test('a successful attempt is counted, measured and logged', async () => {
  const { deliverOne, measured, events, logged } = startDeliverer({ result: response(200) });
  const changes = { requestId: 'request', claim: 3, run: 2, facts };
  const { claimed: delivery, outcome, attempt } = await deliverOne(changes);
  expect(measured).toEqual([
    ['rendered', expect.any(Number)],
    ['counted', undefined],
    ['attempted', { claimed: delivery, outcome, attempt, nowMs: 1_700_000_000_000 }],
    ['recorded', { kind: 'succeeded' }],
  ]);
  expect(events).toEqual([['success', 'delivery.attempted']]);
  expect(logged).toEqual([
    {
      request_id: 'request',
      delivery_id: delivery.deliveryId,
      run: 2,
      claim: 3,
      webhook_id: 'w',
      workspace_id: 'w',
      alert_id: 'alert',
      outcome: 'succeeded',
      error_code: undefined,
      step: 0,
      trigger: 'scheduled',
      status_code: 200,
      duration_ms: 7,
    },
  ]);
});

test('an attempt without a response is logged with its error code', async () => {
  const { deliverOne, measured, events, logged } = startDeliverer({ result: error('timeout') });
  await deliverOne({ step: 7 });
  expect(measured.at(-1)).toEqual(['recorded', { kind: 'failed', failure }]);
  expect(events).toEqual([['info', 'delivery.attempted']]);
  expect(logged).toMatchObject([{ error_code: 'timeout', status_code: undefined, request_id: undefined }]);
});

test('a delivery that ends without a request is counted and logged without an attempt', async () => {
  const { deliverOne, measured, events, logged } = startDeliverer();
  await deliverOne({ webhook: undefined, manual: true, facts });
  expect(measured).toEqual([['recorded', gone]]);
  expect(events).toEqual([['info', 'delivery.recorded_without_attempt']]);
  expect(logged).toMatchObject([
    {
      alert_id: 'alert',
      outcome: 'failed',
      error_code: 'webhook_deleted',
      step: undefined,
      trigger: undefined,
      status_code: undefined,
      duration_ms: undefined,
    },
  ]);
});

test('a deferral is counted with its reason and is not logged', async () => {
  const { deliverOne, measured, events } = startDeliverer();
  await deliverOne({ pause });
  expect([measured, events]).toEqual([[['deferred', 'paused']], []]);
});

test('the duration of a rendering is measured in seconds', async () => {
  const render = () => {
    const startedAtMs = performance.now();
    while (performance.now() - startedAtMs < 20);
    return { ok: true, output: '{}' } as const;
  };
  const { deliverOne, measured } = startDeliverer({ render });
  await deliverOne();
  const [[name, seconds]] = measured as [[string, number]];
  expect(name).toBe('rendered');
  expect(seconds).toBeGreaterThanOrEqual(0.02);
  expect(seconds).toBeLessThan(10);
});

test('a traced delivery has a span, and a child span for its request', async () => {
  const spansOf = async (changes: Partial<ClaimedDelivery>) => {
    const { deliverOne, spans } = startDeliverer({ traced: true });
    await deliverOne({ facts, ...changes });
    return spans.map(([name, { attributes }]) => [name, attributes['tocsin.outcome']]);
  };
  expect(await spansOf({})).toEqual([
    ['deliver', 'succeeded'],
    ['POST', undefined],
  ]);
  expect(await spansOf({ webhook: undefined })).toEqual([['deliver', 'failed']]);
  expect(await spansOf({ pause })).toEqual([['deliver', 'deferred']]);
});

test.each([
  ['cut', 'The connection ended before the response body did.'],
  ['slow', 'The response body did not arrive in time.'],
  ['broken', 'The response body is not valid HTTP.'],
  ['overlong', 'The response contained far more than its body and was not read to its end.'],
  ['encoded', 'The response body is compressed and kept as it came.'],
] as const)('an attempt whose response body is %s has a note that says so', async (bodyNote, note) => {
  const { deliverOne } = startDeliverer({ result: response(200, { bodyNote }) });
  expect((await deliverOne()).attempt?.note).toBe(note);
});

test('a delivery waits for the render budget only if its workspace has used up the budget', async () => {
  const waited: string[] = [];
  const budgetWith = (isWithin: boolean) => ({
    ...noBudget,
    allows: () => isWithin,
    async wait(workspaceId: string) {
      waited.push(workspaceId);
      return !isWithin;
    },
  });
  for (const isWithin of [true, false]) {
    const { deliverOne, sent } = startDeliverer({ renderBudget: budgetWith(isWithin) });
    await deliverOne();
    expect([isWithin, sent]).toEqual([isWithin, ['w']]);
  }
  expect(waited).toEqual(['w']);
});

test('if the webhook of a delivery cannot be read, the error is thrown and the slot is released', async () => {
  const webhookError = new Error('The database is unavailable.');
  const { deliver, slots, sent } = startDeliverer({ webhookError });
  const delivery = claimed('w');
  const delivering = deliver(delivery, slots.acquire(delivery)!);
  const failed = expect(delivering).rejects.toBe(webhookError);
  await settled();
  await failed;
  expect([sent, slots.inUse()]).toEqual([[], 0]);
});

test('a delivery of a deleted webhook ends without a read of the webhook', async () => {
  const { deliverOne } = startDeliverer({ webhookError: new Error('The database is unavailable.') });
  expect((await deliverOne({ webhook: undefined })).outcome).toEqual(gone);
});
