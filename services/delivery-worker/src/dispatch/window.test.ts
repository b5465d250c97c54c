import type { Responsiveness } from '../slots/slot-usage.js';
import { createWindow, type Window } from './window.js';

function windowAt({
  share = 1_000,
  slots = 1_000,
  responsivenessOf = (_webhookId: string): Responsiveness => 'responsive',
} = {}) {
  const clock = { ms: 0 };
  const startMs = 50_000;
  const now = () => startMs + clock.ms;
  return { clock, window: createWindow({ now, queueQuota: () => share, slots, responsivenessOf }) };
}

const acquire = (window: Window, webhookId: string) => window.acquire({ workspaceId: 'w', webhookId });

const nothingSeen = {
  unclaimed: 0,
  queuedByWebhook: new Map<string, number>(),
  backlogged: new Set<string>(),
  workers: 1,
};

test('an idle worker has a window of 400 places, all of which one webhook can use', () => {
  const { window } = windowAt();
  expect(window.freePlaces()).toBe(400);
  const taken = Array.from({ length: 450 }, () => acquire(window, 'busy')).filter(Boolean);
  expect(taken).toHaveLength(400);
});

test('a webhook without queued deliveries gets one extra place while another fills the window', () => {
  const { window } = windowAt();
  for (let count = 0; count < 450; count += 1) acquire(window, 'busy');
  expect([acquire(window, 'quiet'), acquire(window, 'quiet')]).toEqual([true, false]);
  const others = Array.from({ length: 450 }, (_, index) => acquire(window, `webhook-${index}`)).filter(
    Boolean,
  );
  expect(others).toHaveLength(199);
  expect(window.freePlaces()).toBe(0);
});

test('the window grows to the number of attempts that end in one second', () => {
  const { window, clock } = windowAt();
  for (let count = 0; count < 4_000; count += 1) window.finished();
  clock.ms = 999;
  expect(window.freePlaces()).toBe(4_000);
  clock.ms = 1_000;
  expect(window.freePlaces()).toBe(4_000);
  clock.ms = 2_000;
  expect(window.freePlaces()).toBe(400);
});

test('each unclaimed delivery in the queue reduces the number of free places by one', () => {
  const { window } = windowAt();
  window.observe({ ...nothingSeen, unclaimed: 150 });
  expect(window.freePlaces()).toBe(250);
});

test('places acquired before the latest count of the queue no longer reduce the free places', () => {
  const { window } = windowAt();
  for (let count = 0; count < 100; count += 1) acquire(window, 'w');
  expect(window.freePlaces()).toBe(300);
  window.observe({ ...nothingSeen, unclaimed: 10 });
  expect(window.freePlaces()).toBe(390);
});

test('a webhook gets no place while its quota is full or older deliveries of the webhook wait', () => {
  const { window } = windowAt({ share: 2 });
  window.observe({ ...nothingSeen, backlogged: new Set(['late']) });
  expect(acquire(window, 'late')).toBe(false);
  expect([acquire(window, 'w'), acquire(window, 'w'), acquire(window, 'w')]).toEqual([true, true, false]);
  window.release('w');
  expect(acquire(window, 'w')).toBe(true);
});

test('an unknown webhook gets no place in the queue, and a slow webhook gets one', () => {
  const { window } = windowAt({ responsivenessOf: (id) => (id === 'slow' ? 'slow' : 'unknown') });
  expect([acquire(window, 'hanging'), acquire(window, 'slow')]).toEqual([false, true]);
  expect(window.freePlaces()).toBe(399);
});

test('with 40 slots, the window has 40 places and 20 more for webhooks without queued deliveries', () => {
  const { window } = windowAt({ slots: 40 });
  const taken = Array.from({ length: 450 }, (_, index) => acquire(window, `webhook-${index}`)).filter(
    Boolean,
  );
  expect(taken).toHaveLength(60);
  for (let count = 0; count < 300; count += 1) window.finished();
  expect(window.freePlaces()).toBe(240);
});

test.each([1, 2, 400])(
  'the dispatcher of an idle worker with %d slots may fill a sixth of the window',
  (slots) => {
    const { window } = windowAt({ share: 10, slots });
    expect(window.freeDispatchPlaces()).toBe(Math.ceil(slots / 6));
  },
);

test('the size of the window counts every worker as if it were as fast as this worker', () => {
  const { window } = windowAt();
  window.observe({ ...nothingSeen, workers: 3 });
  expect([window.freePlaces(), window.freeDispatchPlaces()]).toEqual([1_200, 200]);
  for (let count = 0; count < 2_000; count += 1) window.finished();
  expect([window.freePlaces(), window.freeDispatchPlaces(), window.perSecond()]).toEqual([
    6_000, 1_000, 6_000,
  ]);
});

test('takeWanted lists every webhook that requested a place since the last call, without repeats', () => {
  const { window } = windowAt({ share: 1 });
  for (const webhookId of ['a', 'b', 'a']) acquire(window, webhookId);
  expect(window.takeWanted().map(({ webhookId }) => webhookId)).toEqual(['a', 'b']);
  expect(window.takeWanted()).toEqual([]);
});

test('a rate of attempts that was measured over more than a second is scaled to one second', () => {
  const { window, clock } = windowAt();
  for (let count = 0; count < 3_000; count += 1) window.finished();
  clock.ms = 1_500;
  expect([window.freePlaces(), window.perSecond()]).toEqual([2_000, 2_000]);
});

test('the window of all workers has at most 10,000 places', () => {
  const { window } = windowAt();
  window.observe({ ...nothingSeen, workers: 2 });
  for (let count = 0; count < 6_000; count += 1) window.finished();
  expect([window.freePlaces(), window.perSecond()]).toEqual([10_000, 12_000]);
});

test('unclaimed deliveries and acquired places reduce the places that the dispatcher may fill', () => {
  const { window } = windowAt();
  window.observe({ ...nothingSeen, unclaimed: 20 });
  for (let count = 0; count < 30; count += 1) acquire(window, 'w');
  expect(window.freeDispatchPlaces()).toBe(17);
  for (let count = 0; count < 60; count += 1) acquire(window, 'w');
  expect(window.freeDispatchPlaces()).toBe(0);
});

test('a released place is free again, and a second release frees no further place', () => {
  const { window } = windowAt();
  for (let count = 0; count < 2; count += 1) acquire(window, 'w');
  window.release('w');
  expect(window.freePlaces()).toBe(399);
  for (let count = 0; count < 3; count += 1) window.release('w');
  expect(window.freePlaces()).toBe(400);
});

test('a release for a webhook without acquired places does not increase its quota', () => {
  const { window } = windowAt({ share: 1 });
  window.release('w');
  expect([acquire(window, 'w'), acquire(window, 'w')]).toEqual([true, false]);
});

test('webhooks with queued deliveries get no extra place in a full window', () => {
  const { window } = windowAt({ slots: 2 });
  window.observe({ ...nothingSeen, unclaimed: 2, queuedByWebhook: new Map([['w', 1]]) });
  expect([acquire(window, 'w'), acquire(window, 'new'), acquire(window, 'late')]).toEqual([
    false,
    true,
    false,
  ]);
});

test('the window is empty until a place is acquired or a delivery is seen in the queue', () => {
  const { window } = windowAt();
  expect(window.isEmpty()).toBe(true);
  acquire(window, 'w');
  expect(window.isEmpty()).toBe(false);
  window.observe({ ...nothingSeen, unclaimed: 1 });
  expect(window.isEmpty()).toBe(false);
  window.observe(nothingSeen);
  expect(window.isEmpty()).toBe(true);
});
