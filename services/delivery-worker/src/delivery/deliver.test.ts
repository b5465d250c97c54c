import type { Sender } from '@tocsin/egress';
import type { Logger } from '@tocsin/kit';
import { createSlots } from '../slots/slots.js';
import { createFailureCounter } from './circuit.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { createDeliver } from './deliver.js';
import type { RenderBudget } from './render-budget.js';
import { defaultRetryPolicy } from './retry-policy.js';

let deliveries = 0;

function claimed(webhookId: string, changes: Partial<ClaimedDelivery> = {}): ClaimedDelivery {
  deliveries += 1;
  return {
    deliveryId: `delivery ${deliveries}`,
    workspaceId: 'w',
    webhookId,
    requestId: null,
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

/** Deliveries of webhooks in state `unknown` begin when `nextTick` is called. */
function start({ renderBudget = noBudget, leaseHeldSinceMs = 0 } = {}) {
  const slots = createSlots({ total: 80, now: () => performance.now() });
  const ticks: (() => void)[] = [];
  const statuses: number[] = [];
  const sent: string[] = [];
  const recorded: string[] = [];
  const paused: string[] = [];
  const deferred: string[] = [];
  const send: Sender['send'] = async ({ url }) => {
    sent.push(url);
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
      record: async (record) => void recorded.push(record.claimed.webhookId),
      defer: async (_, { reason }) => void deferred.push(reason),
      pause: async ({ webhookId }) => void paused.push(webhookId),
      resume: async () => {},
    },
    failures: createFailureCounter(),
    policy: defaultRetryPolicy,
    logger: { info() {} } as unknown as Logger,
    metrics: { attempted() {}, rendered() {}, ended() {}, deferred() {} },
    onAttempt() {},
    now: Date.now,
    random: () => 0.5,
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
  return { deliver, slots, sent, recorded, paused, deferred, deliverWithSlot, nextTick };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a delivery of a responsive webhook starts at once, and of an unknown one in a later tick', async () => {
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

test('responses are counted in order: only five failures in a row open a circuit', async () => {
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

test('a delivery without a slot acquires one, and releases it after the response', async () => {
  const { deliver, slots, sent, nextTick } = start();
  const delivering = deliver(claimed('w'));
  await settled();
  await nextTick();
  await delivering;
  expect([sent, slots.inUse()]).toEqual([['w'], 0]);
});

test('a delivery that finds no slot is deferred', async () => {
  const { deliver, slots, sent, deferred, nextTick } = start();
  const held = Array.from({ length: 4 }, () => slots.acquire({ workspaceId: 'w', webhookId: 'hanging' }));
  const delivering = deliver(claimed('hanging'));
  await settled();
  await nextTick();
  await delivering;
  expect([held.length, sent, deferred]).toEqual([4, [], ['no_slot']]);
});

test('a delivery of a paused webhook is deferred, and releases its slot', async () => {
  const { deliver, slots, sent, deferred, nextTick } = start();
  const delivery = claimed('w', { pause: { reason: 'circuit', remainingMs: 100, times: 1 } });
  void deliver(delivery, slots.acquire(delivery)!);
  await settled();
  await nextTick();
  expect([sent, deferred, slots.inUse()]).toEqual([[], ['paused'], 0]);
});

test('a delivery claimed before the worker’s lease had a gap is deferred, and releases its slot', async () => {
  const { deliver, slots, sent, deferred, deliverWithSlot, nextTick } = start({ leaseHeldSinceMs: 1_001 });
  deliverWithSlot('with a slot');
  await nextTick();
  void deliver(claimed('without'));
  await settled();
  await nextTick();
  expect([sent, deferred, slots.inUse()]).toEqual([[], ['lease_expired', 'lease_expired'], 0]);
});

test('a delivery of a workspace over its render budget is deferred, and releases its slot', async () => {
  const overBudget = { ...noBudget, allows: () => false, wait: async () => false };
  const { slots, sent, deferred, deliverWithSlot, nextTick } = start({ renderBudget: overBudget });
  deliverWithSlot('w');
  await nextTick();
  expect([sent, deferred, slots.inUse()]).toEqual([[], ['render_budget'], 0]);
});

test('one delivery at a time is in quarantine, and others are deferred meanwhile', async () => {
  const { deliver, deferred, sent, nextTick } = start();
  const suspected = (webhookId: string) => claimed(webhookId, { claimsWithoutOutcome: 4 });
  const first = deliver(suspected('a'));
  await deliver(suspected('b'));
  expect([deferred, sent]).toEqual([['quarantine'], []]);
  await nextTick();
  await first;
  const third = deliver(suspected('c'));
  await settled();
  await nextTick();
  await third;
  expect([deferred.length, sent]).toEqual([1, ['a', 'c']]);
});
