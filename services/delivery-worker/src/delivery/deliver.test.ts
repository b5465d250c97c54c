import type { Sender, SendResult } from '@tocsin/egress';
import type { Logger } from '@tocsin/kit';
import { createSlots } from '../slots/slots.js';
import { createFailureCounter } from './circuit.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { defaultRetryPolicy } from './classify.js';
import { createDeliver } from './deliver.js';
import type { Deferral } from './outcome.js';
import type { OutcomeRecord } from './record-repository.js';
import type { RenderBudget } from './render-budget.js';

let deliveries = 0;

function claimed(webhookId: string, changes: Partial<ClaimedDelivery> = {}): ClaimedDelivery {
  deliveries += 1;
  return {
    deliveryId: `delivery ${deliveries}`,
    workspaceId: 'w',
    webhookId,
    requestId: null,
    traceparent: null,
    run: 1,
    claim: 1,
    claimsWithoutOutcome: 1,
    step: 0,
    ageMs: 0,
    manual: false,
    webhook: { version: 1, enabled: true, retryOnTimeout: true },
    pause: undefined,
    facts: {} as ClaimedDelivery['facts'],
    claimedAtMs: 1_000,
    ...changes,
  };
}

const noBudget: Omit<RenderBudget, 'room'> = {
  allows: () => true,
  wait: async () => true,
  charge: (_, render) => render(),
};

interface StartOptions {
  renderBudget?: Omit<RenderBudget, 'room'>;
  leaseHeldSinceMs?: number;
  /** Result of every request. Default: a response with the next status of `statuses`. */
  result?: SendResult;
  random?: number;
}

/** Creates a deliverer. Deliveries of webhooks in the state `unknown` start when `nextTick` is called. */
function start({ renderBudget = noBudget, leaseHeldSinceMs = 0, result, random = 0.5 }: StartOptions = {}) {
  const slots = createSlots({ total: 80, now: () => performance.now() });
  const ticks: (() => void)[] = [];
  const statuses: number[] = [];
  const sent: string[] = [];
  const recorded: string[] = [];
  const records: OutcomeRecord[] = [];
  /** Names of the commits in their order. */
  const commits: string[] = [];
  const paused: string[] = [];
  const deferred: string[] = [];
  const deferrals: Deferral[] = [];
  const send: Sender['send'] = async ({ url }) => {
    sent.push(url);
    if (result !== undefined) return result;
    return {
      kind: 'response',
      statusCode: statuses.shift() ?? 200,
      body: '',
      truncated: false,
      durationMs: 1,
    };
  };
  const deliver = createDeliver({
    webhooks: {
      get: async (id) => ({
        id,
        version: 1,
        destination: id,
        url: id,
        headers: {},
        body: id,
        redact: (text) => text,
        options: undefined,
      }),
    },
    render: () => ({ ok: true, output: '{}' }),
    renderBudget,
    slots,
    lease: { covers: (sinceMs) => sinceMs >= leaseHeldSinceMs },
    tickThrottle: { wait: () => new Promise((resolve) => ticks.push(resolve)) },
    sender: { send },
    recorder: {
      async record(record) {
        recorded.push(record.claimed.webhookId);
        records.push(record);
        commits.push('record');
      },
      async defer(_, deferral) {
        deferred.push(deferral.reason);
        deferrals.push(deferral);
      },
      async pause({ webhookId }) {
        await settled();
        paused.push(webhookId);
        commits.push('pause');
      },
      async resume(webhookId) {
        await settled();
        commits.push(`resume ${webhookId}`);
      },
    },
    failures: createFailureCounter(),
    policy: defaultRetryPolicy,
    logger: { info() {}, success() {} } as unknown as Logger,
    metrics: { attempted() {}, rendered() {}, ended() {}, deferred() {} },
    onAttempt() {},
    now: () => 1_700_000_000_000,
    random: () => random,
  });
  const deliverWithSlot = (webhookId: string, status = 200) => {
    statuses.push(status);
    const delivery = claimed(webhookId);
    void deliver(delivery, slots.acquire(delivery)!);
  };
  const nextTick = async () => {
    ticks.shift()?.();
    await settled();
  };
  /** Delivers one delivery completely. Returns its record. */
  const deliverOne = async (changes: Partial<ClaimedDelivery> = {}) => {
    const delivering = deliver(claimed('w', changes));
    await settled();
    await nextTick();
    await delivering;
    return records.at(-1)!;
  };
  return {
    deliver,
    slots,
    sent,
    recorded,
    commits,
    paused,
    deferred,
    deferrals,
    deliverWithSlot,
    deliverOne,
    nextTick,
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a delivery starts at once if its webhook is responsive, and in a later tick if unknown', async () => {
  const { sent, recorded, deliverWithSlot, nextTick } = start();
  deliverWithSlot('responds');
  await settled();
  expect(sent).toEqual([]);
  await nextTick();
  expect(recorded).toEqual(['responds']);
  deliverWithSlot('unknown');
  deliverWithSlot('responds');
  await settled();
  expect(recorded).toEqual(['responds', 'responds']);
});

test('failures open a circuit only if five of them are consecutive', async () => {
  const { recorded, paused, deliverWithSlot, nextTick } = start();
  deliverWithSlot('flaky');
  await nextTick();
  for (let index = 0; index < 10; index += 1) deliverWithSlot('flaky', index % 2 === 0 ? 503 : 200);
  for (let tick = 0; tick < 10; tick += 1) await nextTick();
  expect(recorded).toHaveLength(11);
  expect(paused).toEqual([]);
  for (let index = 0; index < 5; index += 1) deliverWithSlot('flaky', 503);
  for (let tick = 0; tick < 10; tick += 1) await nextTick();
  expect(paused).toEqual(['flaky']);
});

test('a delivery without a slot acquires one and releases it after the response', async () => {
  const { deliver, slots, sent, nextTick } = start();
  const delivering = deliver(claimed('w'));
  await settled();
  await nextTick();
  await delivering;
  expect([sent, slots.inUse()]).toEqual([['w'], 0]);
});

test('a delivery is deferred if its webhook has no free slot', async () => {
  const { deliver, slots, sent, deferred, nextTick } = start();
  const held = Array.from({ length: 4 }, () => slots.acquire({ workspaceId: 'w', webhookId: 'hanging' }));
  const delivering = deliver(claimed('hanging'));
  await settled();
  await nextTick();
  await delivering;
  expect([held.length, sent, deferred]).toEqual([4, [], ['no_slot']]);
});

test('a delivery of a paused webhook is deferred and releases its slot', async () => {
  const { deliver, slots, sent, deferred, nextTick } = start();
  const delivery = claimed('w', { pause: { reason: 'circuit', remainingMs: 100, times: 1 } });
  void deliver(delivery, slots.acquire(delivery)!);
  await settled();
  await nextTick();
  expect([sent, deferred, slots.inUse()]).toEqual([[], ['paused'], 0]);
});

test('a delivery that was claimed before a gap in the lease is deferred and releases its slot', async () => {
  const { deliver, slots, sent, deferred, deliverWithSlot, nextTick } = start({ leaseHeldSinceMs: 1_001 });
  deliverWithSlot('with a slot');
  await nextTick();
  void deliver(claimed('without'));
  await settled();
  await nextTick();
  expect([sent, deferred, slots.inUse()]).toEqual([[], ['lease_expired', 'lease_expired'], 0]);
});

test('a delivery of a workspace over its render budget is deferred and releases its slot', async () => {
  const overBudget = { ...noBudget, allows: () => false, wait: async () => false };
  const { slots, sent, deferred, deliverWithSlot, nextTick } = start({ renderBudget: overBudget });
  deliverWithSlot('w');
  await nextTick();
  expect([sent, deferred, slots.inUse()]).toEqual([[], ['render_budget'], 0]);
});

test('one delivery at a time is sent in quarantine, and others are deferred', async () => {
  const { deliver, deferred, sent, nextTick } = start();
  const quarantined = (webhookId: string) => claimed(webhookId, { claimsWithoutOutcome: 4 });
  const first = deliver(quarantined('a'));
  await deliver(quarantined('b'));
  expect([deferred, sent]).toEqual([['quarantine'], []]);
  await nextTick();
  await first;
  const third = deliver(quarantined('c'));
  await settled();
  await nextTick();
  await third;
  expect([deferred.length, sent]).toEqual([1, ['a', 'c']]);
});

const response = (statusCode: number, changes: Partial<SendResult> = {}) =>
  ({
    kind: 'response',
    statusCode,
    body: 'a text',
    truncated: false,
    durationMs: 7,
    ...changes,
  }) as SendResult;
const error = (code: 'timeout' | 'internal_error'): SendResult => ({
  kind: 'error',
  code,
  error: 'A sentence.',
  durationMs: 7,
});

test('a pause is committed before the outcome that caused it', async () => {
  const { deliverOne, commits } = start({ result: response(503, { retryAfterSeconds: 60 }) });
  await deliverOne();
  expect(commits).toEqual(['pause', 'record']);
});

test('the end of a pause is committed before the outcome that caused it', async () => {
  const { deliverOne, commits } = start();
  await deliverOne({ pause: { reason: 'circuit', remainingMs: 0, times: 3 } });
  expect(commits).toEqual(['resume w', 'record']);
});

test('the delay of a retry has a random jitter of 20 %', async () => {
  const afterMs = async (random: number) => {
    const { outcome } = await start({ result: error('timeout'), random }).deliverOne({ step: 1 });
    return outcome.kind === 'retry' && [outcome.afterMs, outcome.step];
  };
  expect([await afterMs(0), await afterMs(1)]).toEqual([
    [24_000, 2],
    [36_000, 2],
  ]);
});

test('a timeout fails the delivery if its webhook has retries on timeout turned off', async () => {
  const webhook = { version: 1, enabled: true, retryOnTimeout: false };
  const { outcome, attempt } = await start({ result: error('timeout') }).deliverOne({ webhook });
  expect(outcome).toEqual({ kind: 'failed', failure: { code: 'timeout', error: 'A sentence.' } });
  expect(attempt).toMatchObject({ response: undefined, failure: { code: 'timeout' }, note: undefined });
});

test('an attempt records request, response, start, duration and trigger', async () => {
  const result = response(200, { location: '/l', retryAfter: 'soon', bodyNote: 'cut', truncated: true });
  const { attempt } = await start({ result }).deliverOne();
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
  expect((await start().deliverOne({ manual: true })).attempt?.trigger).toBe('manual');
});

test('a fault of this worker does not change the responsiveness of the webhook', async () => {
  const { deliverOne, slots } = start({ result: error('internal_error') });
  await deliverOne();
  expect(slots.responsivenessOf('w')).toBe('unknown');
  const { deliverOne: deliverElsewhere, slots: others } = start();
  await deliverElsewhere();
  expect(others.responsivenessOf('w')).toBe('responsive');
});

test('a delivery that ends without a request is recorded without an attempt', async () => {
  const { deliverOne, sent, slots } = start();
  expect(await deliverOne({ webhook: undefined })).toMatchObject({
    outcome: { kind: 'failed', failure: { code: 'webhook_deleted' } },
    attempt: undefined,
  });
  expect([sent, slots.inUse()]).toEqual([[], 0]);
});

test('deferrals for a missing lease, slot or quarantine permit have random delays', async () => {
  const waits = async (random: number) => {
    const expired = start({ leaseHeldSinceMs: 1_001, random });
    await expired.deliverOne();
    const { deliver, slots, deferrals, nextTick } = start({ random });
    const held = Array.from({ length: 4 }, () => slots.acquire({ workspaceId: 'w', webhookId: 'w' }));
    const quarantined = { claimsWithoutOutcome: 4 };
    const delivering = deliver(claimed('w', quarantined));
    await deliver(claimed('v', quarantined));
    await settled();
    await nextTick();
    await delivering;
    for (const slot of held) slot?.release();
    return [...expired.deferrals, ...deferrals].map(({ reason, afterMs }) => [reason, afterMs]);
  };
  expect(await waits(0)).toEqual([
    ['lease_expired', 0],
    ['quarantine', 0],
    ['no_slot', 2_000],
  ]);
  expect(await waits(1)).toEqual([
    ['lease_expired', 1_000],
    ['quarantine', 5_000],
    ['no_slot', 4_000],
  ]);
});
