import { percentilesOf } from '../measure/statistics.js';
import { compareWithLimits, type IsolationRun, p99LimitMs } from './limits.js';

function runOf(aloneMs: number, withNeighboursMs: number): IsolationRun {
  return { alone: percentilesOf([aloneMs]), withNeighbours: percentilesOf([withNeighboursMs]) };
}

test.each([
  [10, 35],
  [25, 50],
  [40, 80],
])('if the p99 is %d ms without neighbours, the limit with neighbours is %d ms', (aloneMs, limitMs) => {
  expect(p99LimitMs(aloneMs)).toBe(limitMs);
});

test('the p99 check passes if the p99 latency is at the limit, and fails above the limit', () => {
  expect(compareWithLimits([runOf(10, 35)]).passed).toEqual({ p99: true, slowest: true });
  expect(compareWithLimits([runOf(10, 36)]).passed.p99).toBe(false);
  expect(compareWithLimits([runOf(40, 80)]).passed.p99).toBe(true);
  expect(compareWithLimits([runOf(40, 81)]).passed.p99).toBe(false);
});

test('the p99 check uses only the run whose result is the median of all runs', () => {
  const result = compareWithLimits([runOf(10, 90), runOf(10, 12), runOf(10, 14)]);
  expect(result.median).toEqual(runOf(10, 14));
  expect(result.passed.p99).toBe(true);
});

test('the check of the slowest delivery fails if one delivery in any run takes more than 1 s', () => {
  const slow = { ...runOf(10, 12), withNeighbours: { ...percentilesOf([12]), max: 1_001 } };
  expect(compareWithLimits([runOf(10, 12), slow, runOf(10, 12)])).toMatchObject({
    slowestMs: 1_001,
    passed: { p99: true, slowest: false },
  });
});

test('the p99 check and the check of the slowest delivery fail for a run without latencies', () => {
  const empty = { alone: percentilesOf([]), withNeighbours: percentilesOf([]) };
  expect(compareWithLimits([empty]).passed).toEqual({ p99: false, slowest: false });
});
