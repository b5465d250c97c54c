import type { SendResult } from '@tocsin/egress';
import { claimed, noBudget, response, settled, startDeliverer } from '../../test/support/deliverer.js';

test('failures open a circuit only if five of them are consecutive', async () => {
  const { recorded, paused, deliverWithSlot } = startDeliverer();
  deliverWithSlot('flaky');
  await settled();
  for (let index = 0; index < 10; index += 1) deliverWithSlot('flaky', index % 2 === 0 ? 503 : 200);
  await settled();
  expect(recorded).toHaveLength(11);
  expect(paused).toEqual([]);
  for (let index = 0; index < 5; index += 1) deliverWithSlot('flaky', 503);
  await settled();
  await settled();
  expect(paused).toEqual(['flaky']);
});

test('a delivery without a slot acquires one and releases it after the response', async () => {
  const { deliver, slots, sent } = startDeliverer();
  const delivering = deliver(claimed('w'));
  await settled();
  await delivering;
  expect([sent, slots.inUse()]).toEqual([['w'], 0]);
});

test('a delivery is deferred if its webhook has no free slot', async () => {
  const { deliver, slots, sent, deferred } = startDeliverer();
  const held = Array.from({ length: 4 }, () => slots.acquire({ workspaceId: 'w', webhookId: 'hanging' }));
  const delivering = deliver(claimed('hanging'));
  await settled();
  await delivering;
  expect([held.length, sent, deferred]).toEqual([4, [], ['no_slot']]);
});

test('a delivery of a paused webhook is deferred and releases its slot', async () => {
  const { deliver, slots, sent, deferred } = startDeliverer();
  const delivery = claimed('w', { pause: { reason: 'circuit', remainingMs: 100, times: 1 } });
  void deliver(delivery, slots.acquire(delivery)!);
  await settled();
  expect([sent, deferred, slots.inUse()]).toEqual([[], ['paused'], 0]);
});

test('a delivery claimed before its worker lost its lease is deferred and releases its slot', async () => {
  const { deliver, slots, sent, deferred, deliverWithSlot } = startDeliverer({
    leaseHeldSinceMs: 1_001,
  });
  deliverWithSlot('with a slot');
  await settled();
  void deliver(claimed('without'));
  await settled();
  expect([sent, deferred, slots.inUse()]).toEqual([[], ['lease_expired', 'lease_expired'], 0]);
});

test('a delivery of a workspace over its render budget is deferred and releases its slot', async () => {
  const overBudget = { ...noBudget, allows: () => false, wait: async () => false };
  const { slots, sent, deferred, deliverWithSlot } = startDeliverer({ renderBudget: overBudget });
  deliverWithSlot('w');
  await settled();
  expect([sent, deferred, slots.inUse()]).toEqual([[], ['render_budget'], 0]);
});

test('large bodies in progress are limited to 64 MiB until their outcomes are recorded', async () => {
  let respond = (_: SendResult) => {};
  const body = '日'.repeat(250_000);
  const { deliver, slots, sent, deferred } = startDeliverer({
    result: new Promise((resolve) => {
      respond = resolve;
    }),
    render: (_, { deliveryId }) => ({ ok: true, output: deliveryId === 'small' ? '{}' : body }),
  });
  const start = (id: string, workspaceId: string, deliveryId = id) => {
    const delivery = claimed(id, { workspaceId, deliveryId });
    return deliver(delivery, slots.acquire(delivery));
  };
  // Each body takes 1,250,000 bytes, and one workspace gets 15/16 of 64 MiB.
  const delivering = Array.from({ length: 55 }, (_, index) => start(`${index}`, 'greedy'));
  await settled();
  expect([sent.length, slots.inUse(), new Set(deferred)]).toEqual([50, 50, new Set(['body_memory'])]);
  delivering.push(start('large', 'other'), start('w', 'greedy', 'small'));
  await settled();
  expect(sent.slice(50)).toEqual(['large', 'w']);
  respond(response(200));
  await Promise.all(delivering);
  await start('later', 'greedy');
  expect([sent.at(-1), slots.inUse(), deferred.length]).toEqual(['later', 0, 5]);
});

test('a poison delivery is deferred while another poison delivery is being sent in quarantine', async () => {
  const { deliver, deferred, sent } = startDeliverer();
  const quarantined = (webhookId: string) => claimed(webhookId, { claimsWithoutOutcome: 4 });
  const first = deliver(quarantined('a'));
  await deliver(quarantined('b'));
  expect([deferred, sent]).toEqual([['quarantine'], []]);
  await settled();
  await first;
  const third = deliver(quarantined('c'));
  await settled();
  await third;
  expect([deferred.length, sent]).toEqual([1, ['a', 'c']]);
});

test('deferrals because of a lost lease, no free slot or the quarantine have random delays', async () => {
  const waits = async (random: number) => {
    const expired = startDeliverer({ leaseHeldSinceMs: 1_001, random });
    await expired.deliverOne();
    const { deliver, slots, deferrals } = startDeliverer({ random });
    const held = Array.from({ length: 4 }, () => slots.acquire({ workspaceId: 'w', webhookId: 'w' }));
    const quarantined = { claimsWithoutOutcome: 4 };
    const delivering = deliver(claimed('w', quarantined));
    await deliver(claimed('v', quarantined));
    await settled();
    await delivering;
    for (const slot of held) slot?.release();
    return [...expired.deferrals, ...deferrals];
  };
  const kind = 'deferred';
  expect(await waits(0)).toEqual([
    { kind, reason: 'lease_expired', afterMs: 0 },
    { kind, reason: 'quarantine', afterMs: 0 },
    { kind, reason: 'no_slot', afterMs: 2_000 },
  ]);
  expect(await waits(1)).toEqual([
    { kind, reason: 'lease_expired', afterMs: 1_000 },
    { kind, reason: 'quarantine', afterMs: 5_000 },
    { kind, reason: 'no_slot', afterMs: 4_000 },
  ]);
});

test('the slot of a delivery claimed at write is free before the outcome is committed', async () => {
  const { slotsInUse, deliverWithSlot } = startDeliverer();
  deliverWithSlot('w');
  await settled();
  expect(slotsInUse).toEqual([
    ['send', 1],
    ['record', 0],
  ]);
});

test('a delivery that is not sent releases its slot before its outcome or deferral is committed', async () => {
  const { deliver, slots, slotsInUse } = startDeliverer();
  const pause = { reason: 'circuit', remainingMs: 100, times: 1 } as const;
  for (const change of [{ pause }, { webhook: undefined }]) {
    const delivery = claimed('w', change);
    const delivering = deliver(delivery, slots.acquire(delivery)!);
    await settled();
    await delivering;
  }
  expect(slotsInUse).toEqual([
    ['defer', 0],
    ['record', 0],
  ]);
});
