import { formatPercent, type Step, summarize } from './summary.js';

const step = (values: Partial<Step>): Step => ({
  from: '2026-01-01T00:00:00Z',
  to: '2026-01-01T01:00:00Z',
  succeeded: 0,
  failed: 0,
  skipped: 0,
  open: 0,
  attempts: 0,
  p50_ms: null,
  p95_ms: null,
  ...values,
});

test('skipped and open deliveries are excluded from the success rate', () => {
  const summary = summarize([step({ succeeded: 3, failed: 1 }), step({ skipped: 5, open: 2 })]);
  expect(summary).toMatchObject({ total: 11, successRate: 0.75 });
});

test('without an ended delivery, the latencies and the success rate are null', () => {
  expect(summarize([step({ open: 1 })])).toMatchObject({ successRate: null, p50Ms: null, p95Ms: null });
});

test('the summary has the median of the p50 values and the highest p95 of all time steps', () => {
  const steps = [
    step({ p50_ms: 10, p95_ms: 90 }),
    step({ p50_ms: 30, p95_ms: 500 }),
    step({ p50_ms: 20, p95_ms: 40 }),
  ];
  expect(summarize(steps)).toMatchObject({ p50Ms: 20, p95Ms: 500 });
});

test('a fraction below 1 is never formatted as 100 %', () => {
  expect([1, 0.999999, 0.9, 0].map(formatPercent)).toEqual(['100 %', '99.99 %', '90 %', '0 %']);
});
