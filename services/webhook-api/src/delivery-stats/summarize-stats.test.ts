import type { StatsRow } from './delivery-stats-reader.js';
import { summarizeStats } from './summarize-stats.js';

const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 2, 10, 8);
const range = { step: 'hour', fromMs: startMs, toMs: startMs + 2 * hourMs } as const;

function row(changes: Partial<StatsRow> = {}): StatsRow {
  const counts = { open: 0, succeeded: 0, failed: 0, skipped: 0, attempts: 0 };
  return {
    atMs: startMs,
    webhookId: 'w',
    ...counts,
    latencies: [],
    ...changes,
  };
}

/** Returns the bucket number of a latency, like the database's function `latency_bucket`. */
const bucketOf = (latencyMs: number) => 1 + Math.floor(8 * Math.log2(latencyMs));
const entry = (latencyMs: number, number: number) => 256 * number + bucketOf(latencyMs);

test('the statistics of a time step are the sum of its rows, and zero without rows', () => {
  const rows = [
    row({ open: 2, succeeded: 1, attempts: 3 }),
    row({ open: -1, failed: 1, attempts: 1 }),
    row({ webhookId: 'v', skipped: 4 }),
  ];
  expect(summarizeStats(rows, { ...range, byWebhook: false })).toEqual([
    {
      from: '2026-03-10T08:00:00.000Z',
      to: '2026-03-10T09:00:00.000Z',
      open: 1,
      succeeded: 1,
      failed: 1,
      skipped: 4,
      attempts: 4,
      p50_ms: null,
      p95_ms: null,
    },
    {
      from: '2026-03-10T09:00:00.000Z',
      to: '2026-03-10T10:00:00.000Z',
      open: 0,
      succeeded: 0,
      failed: 0,
      skipped: 0,
      attempts: 0,
      p50_ms: null,
      p95_ms: null,
    },
  ]);
});

test('statistics by webhook contain every time step of each webhook', () => {
  const rows = [row({ webhookId: 'b', failed: 1 }), row({ webhookId: 'a', failed: 2 })];
  const steps = summarizeStats(rows, { ...range, byWebhook: true });
  expect(steps.map(({ webhook_id, failed }) => [webhook_id, failed])).toEqual([
    ['a', 2],
    ['b', 1],
    ['a', 0],
    ['b', 0],
  ]);
});

test.each([
  [1, 1],
  [12, 340],
  [95, 2_500],
  [20_000, 86_400_000],
])('percentiles of latencies from %i ms to %i ms are accurate to 5 %%', (lowMs, highMs) => {
  const latencies = Array.from(
    { length: 2_000 },
    (_, index) => lowMs + ((highMs - lowMs) * (index + 0.5)) / 2_000,
  );
  const rows = latencies.map((latency) => row({ succeeded: 1, latencies: [entry(latency, 1)] }));
  const [step] = summarizeStats(rows, { ...range, byWebhook: false });
  for (const [part, shown] of [[0.5, step!.p50_ms] as const, [0.95, step!.p95_ms] as const]) {
    const exact = lowMs + (highMs - lowMs) * part;
    expect(Math.abs(shown! - exact)).toBeLessThanOrEqual(0.05 * exact + 0.5);
  }
});

test('latencies whose counts add up to zero do not change the percentiles', () => {
  const rows = [
    row({ succeeded: 4, latencies: [entry(100, 1), entry(9_000, 1), entry(100, 2)] }),
    row({ succeeded: -1, latencies: [entry(9_000, -1)] }),
  ];
  const [step] = summarizeStats(rows, { ...range, byWebhook: false });
  expect(step!.p95_ms).toBeLessThan(110);
});
