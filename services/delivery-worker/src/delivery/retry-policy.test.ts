import { defaultRetryPolicy, retryOrFail } from './retry-policy.js';

const failure = { code: 'timeout', error: 'Too slow.' } as const;

function waitMs({
  random,
  retryAfterMs,
  step = 0,
}: {
  random: number;
  retryAfterMs?: number;
  step?: number;
}) {
  const outcome = retryOrFail({ step, failure, retryAfterMs, policy: defaultRetryPolicy, random });
  return outcome.kind === 'retry' ? outcome.afterMs : undefined;
}

test('each wait of the schedule is lengthened or shortened by up to a fifth', () => {
  expect([0, 0.25, 0.5, 0.75, 1].map((random) => waitMs({ random }))).toEqual([
    4_000, 4_500, 5_000, 5_500, 6_000,
  ]);
  expect([0, 1].map((random) => waitMs({ random, step: 6 }))).toEqual([8_640_000, 12_960_000]);
});

test('Retry-After is compared with the wait after its jitter, and has no jitter itself', () => {
  const retryAfterMs = 5_500;
  expect([0, 0.5, 1].map((random) => waitMs({ random, retryAfterMs }))).toEqual([5_500, 5_500, 6_000]);
});

test('a retry uses one step, and after the last one the delivery fails with its failure', () => {
  const retry = (step: number) => retryOrFail({ step, failure, policy: defaultRetryPolicy, random: 0.5 });
  expect(retry(6)).toEqual({ kind: 'retry', afterMs: 10_800_000, step: 7, failure });
  expect(retry(7)).toEqual({ kind: 'failed', failure });
});
