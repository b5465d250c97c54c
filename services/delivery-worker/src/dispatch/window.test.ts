import { createWindow, type Window } from './window.js';

function windowAt({ share = 1_000, slots = 1_000 } = {}) {
  const clock = { ms: 0 };
  return { clock, window: createWindow({ now: () => clock.ms, queueQuota: () => share, slots }) };
}

const take = (window: Window, webhookId: string) => window.take({ workspaceId: 'w', webhookId });

const nothingSeen = { ready: 0, queuedByWebhook: new Map<string, number>(), backlogged: new Set<string>() };

test('an idle system has a small window, and it fills', () => {
  const { window } = windowAt();
  expect(window.room()).toBe(400);
  const taken = Array.from({ length: 450 }, () => take(window, 'busy')).filter(Boolean);
  expect(taken).toHaveLength(400);
});

test('a webhook that has nothing in the queue finds a place beside a busy one, within limits', () => {
  const { window } = windowAt();
  for (let count = 0; count < 450; count += 1) take(window, 'busy');
  expect([take(window, 'quiet'), take(window, 'quiet')]).toEqual([true, false]);
  const others = Array.from({ length: 450 }, (_, index) => take(window, `webhook-${index}`)).filter(Boolean);
  expect(others).toHaveLength(199);
  expect(window.room()).toBe(0);
});

test('the window grows to about a second of the work that is being finished', () => {
  const { window, clock } = windowAt();
  for (let count = 0; count < 4_000; count += 1) window.finished();
  clock.ms = 999;
  expect(window.room()).toBe(4_000);
  clock.ms = 1_000;
  expect(window.room()).toBe(4_000);
  clock.ms = 2_000;
  expect(window.room()).toBe(400);
});

test('what the broker holds ready leaves less room', () => {
  const { window } = windowAt();
  window.observe({ ...nothingSeen, ready: 150 });
  expect(window.room()).toBe(250);
});

test('a webhook with its share in the queue, or with older ones waiting, gets no place ahead of them', () => {
  const { window } = windowAt({ share: 2 });
  window.observe({ ...nothingSeen, backlogged: new Set(['late']) });
  expect(take(window, 'late')).toBe(false);
  expect([take(window, 'w'), take(window, 'w'), take(window, 'w')]).toEqual([true, true, false]);
  window.giveBack('w');
  expect(take(window, 'w')).toBe(true);
});

test('a worker with few slots has few places, whoever asks: at ten seconds a request none waits longer than fifteen', () => {
  const { window } = windowAt({ slots: 40 });
  const taken = Array.from({ length: 450 }, (_, index) => take(window, `webhook-${index}`)).filter(Boolean);
  expect(taken).toHaveLength(60);
  for (let count = 0; count < 300; count += 1) window.finished();
  expect(window.room()).toBe(240);
});
