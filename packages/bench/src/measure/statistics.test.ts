import { percentilesOf, spreadOf } from './statistics.js';

test('each percentile is one of the values, and the order of the values has no effect', () => {
  const values = Array.from({ length: 200 }, (_, index) => 200 - index);
  expect(percentilesOf(values)).toEqual({ p50: 100, p95: 190, p99: 198, max: 200 });
  expect(percentilesOf(Float64Array.of(7))).toEqual({ p50: 7, p95: 7, p99: 7, max: 7 });
});

test('the percentiles of an empty list are NaN', () => {
  expect(percentilesOf([])).toEqual({ p50: Number.NaN, p95: Number.NaN, p99: Number.NaN, max: Number.NaN });
});

test('spreadOf returns median, minimum and maximum without changing its input', () => {
  const values = [10, 9, 100];
  expect(spreadOf(values)).toEqual({ median: 10, min: 9, max: 100 });
  expect(values).toEqual([10, 9, 100]);
});
