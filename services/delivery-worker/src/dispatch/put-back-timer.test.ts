import { createPutBackTimer } from './put-back-timer.js';

function turnsAt() {
  const clock = { ms: 0 };
  const timer = createPutBackTimer(() => clock.ms);
  const round = ({ ok = true, tookMs = 10 } = {}) => {
    const wasDue = timer.isDue();
    if (wasDue) timer.done();
    clock.ms += tookMs;
    timer.roundEnded({ ok, tookMs });
    return wasDue;
  };
  return { clock, round };
}

test('what has expired is put back every second', () => {
  const { clock, round } = turnsAt();
  const dueAtMs: number[] = [];
  while (clock.ms < 3_500) {
    const startedAtMs = clock.ms;
    if (round()) dueAtMs.push(startedAtMs);
  }
  expect(dueAtMs).toEqual([0, 1_000, 2_000, 3_000]);
});

test.each([
  ['that was seen', [{ ok: false, tookMs: 5_000 }, { ok: false, tookMs: 100 }, { tookMs: 10 }]],
  ['that ended before any limit', [{ tookMs: 30_000 }]],
])('behind an outage %s, owners that live have three seconds to record', (_, outage) => {
  const { clock, round } = turnsAt();
  round();
  for (const each of outage) round(each);
  const endedAtMs = clock.ms;
  while (!round());
  expect(clock.ms - endedAtMs).toBeGreaterThanOrEqual(3_000);
  expect(clock.ms - endedAtMs).toBeLessThan(3_100);
});

test('where every round is slow, what has expired is put back all the same', () => {
  const { round } = turnsAt();
  const dues = Array.from({ length: 6 }, () => round({ tookMs: 8_000 }));
  expect(dues.filter(Boolean).length).toBeGreaterThanOrEqual(4);
});
