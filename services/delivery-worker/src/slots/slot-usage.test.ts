import { createKeyedCounter, createResponsivenessTracker, createSlotUsage } from './slot-usage.js';

describe('the responsiveness of a webhook', () => {
  const start = () => {
    const clock = { nowMs: 1_000 };
    return { clock, tracker: createResponsivenessTracker(() => clock.nowMs) };
  };

  test.each([
    [0, 'responsive'],
    [499, 'responsive'],
    [500, 'slow'],
    [9_000, 'slow'],
    [undefined, 'unknown'],
  ])('a webhook whose last response took %s ms (undefined: no response) is %s', (durationMs, expected) => {
    const { tracker } = start();
    tracker.observe('w', 1);
    tracker.observe('w', durationMs);
    expect([tracker.of('w'), tracker.of('other')]).toEqual([expected, 'unknown']);
  });

  test('the last response decides the responsiveness of a webhook for 30 s', () => {
    const { clock, tracker } = start();
    tracker.observe('w', 1);
    clock.nowMs += 29_999;
    expect([tracker.of('w'), tracker.sinceResponseMs('w')]).toEqual(['responsive', 29_999]);
    clock.nowMs += 1;
    expect(tracker.of('w')).toBe('unknown');
    tracker.observe('w', undefined);
    expect(tracker.sinceResponseMs('w')).toBe(Number.POSITIVE_INFINITY);
  });
});

test('a keyed counter counts by key and in total', () => {
  const counter = createKeyedCounter();
  counter.add('a', 1);
  counter.add('a', 1);
  counter.add('b', 1);
  counter.add('a', -1);
  counter.add('b', -1);
  expect([counter.of('a'), counter.of('b'), counter.of('c'), counter.total()]).toEqual([1, 0, 0, 1]);
});

test('a slot counts towards the limit of claims at write only if a claim at write acquired it', () => {
  const usage = createSlotUsage({ total: 8, atWrite: 6 });
  const request = { workspaceId: 'ws', webhookId: 'w', responsiveness: 'slow', atWrite: false } as const;
  usage.count(request, 1);
  usage.count({ ...request, atWrite: true, responsiveness: 'responsive' }, 1);
  const countsOf = ({ byWorkspace, notResponsiveByWorkspace, size }: typeof usage.all) => [
    size,
    byWorkspace.of('ws'),
    notResponsiveByWorkspace.of('ws'),
  ];
  expect([usage.total, usage.byWebhook.of('w')]).toEqual([8, 2]);
  expect([countsOf(usage.all), countsOf(usage.atWrite)]).toEqual([
    [8, 2, 1],
    [6, 1, 0],
  ]);
});
