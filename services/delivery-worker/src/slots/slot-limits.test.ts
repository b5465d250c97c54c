import { noSlotDelayMs, queueQuotaOf, shareOfOne, slotsAtWrite } from './slot-limits.js';
import { createSlotUsage } from './slot-usage.js';

test('claims at write may use half of the slots, rounded up', () => {
  expect([1, 2, 4, 10, 800].map(slotsAtWrite)).toEqual([1, 1, 2, 5, 400]);
});

test('a single busy workspace gets 15/16 of the slots, rounded up', () => {
  expect([1, 16, 17, 160, 800].map(shareOfOne)).toEqual([1, 15, 16, 150, 750]);
});

test.each([
  ['responsive', 500, 1_000],
  ['slow', 500, 1_000],
  ['unknown', 2_000, 4_000],
] as const)(
  'without a slot, a delivery of a webhook in the state %s is due again in %i to %i ms',
  (responsiveness, least, most) => {
    const delays = [0, 0.5, 1].map((random) => noSlotDelayMs(responsiveness, random));
    expect(delays).toEqual([least, (least + most) / 2, most].map((ms) => expect.closeTo(ms, 6)));
  },
);

test('slots of slow webhooks reduce the queue quota only of slow webhooks in other workspaces', () => {
  const usage = createSlotUsage({ total: 800, atWrite: 600 });
  const count = (workspaceId: string, responsiveness: 'slow' | 'responsive', slots: number) => {
    for (let slot = 0; slot < slots; slot += 1)
      usage.count({ workspaceId, webhookId: workspaceId, responsiveness, atWrite: false }, 1);
  };
  const quota = (backlogged: number, responsiveness: 'slow' | 'unknown' | 'responsive' = 'slow') =>
    queueQuotaOf({ workspaceId: 'own', responsiveness }, { usage, backlogged });
  count('own', 'slow', 30);
  count('other', 'slow', 60);
  count('other', 'responsive', 100);
  // Slow webhooks of the workspace `other` use 60 of the 600 unreserved slots. Slow webhooks of the workspace `own`
  // share the remaining 540 slots.
  expect([quota(3), quota(4), quota(541), quota(10_000)]).toEqual([180, 135, 1, 1]);
  expect([quota(0), quota(2), quota(3, 'unknown'), quota(3, 'responsive')]).toEqual([256, 256, 4, 1_000]);
});
