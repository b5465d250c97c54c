import { createMetrics } from '@tocsin/kit';
import { claimed } from '../../test/support/deliverer.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { createDeliveryMetrics } from './delivery-metrics.js';
import type { Attempt, Outcome } from './outcome.js';

const firedAtMs = Date.parse('2026-01-02T03:04:05Z');
const failure = { code: 'timeout', error: 'Too slow.' } as const;
const retry: Outcome = { kind: 'retry', afterMs: 1, step: 1, failure };

function start() {
  const registry = createMetrics({ service: 'test' });
  const metrics = createDeliveryMetrics(registry);
  /** Returns the value of the metric's first series that has these labels, or undefined if there is none. */
  const seriesOf = async (name: string, labels: Record<string, string> = {}) => {
    const { text } = await registry.expose();
    const texts = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    const isSought = (line: string) =>
      line.startsWith(`${name}{`) && texts.every((label) => line.includes(label));
    const line = text.split('\n').find(isSought);
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  };
  /**
   * Counts an attempt that started 2 s after its alert had fired, and was recorded 5 s after the alert had fired. The
   * clock of the monitor, which sets the time of firing, is ahead of the worker's clock by `aheadMs`.
   */
  const attempt = (changes: Partial<ClaimedDelivery>, outcome: Outcome = retry, aheadMs = 0) =>
    metrics.attempted({
      claimed: claimed('w', { facts: { fired_at: '2026-01-02T03:04:05Z' } as never, ...changes }),
      outcome,
      attempt: { startedAt: new Date(firedAtMs + 2_000 - aheadMs), durationMs: 250 } as Attempt,
      nowMs: firedAtMs + 5_000 - aheadMs,
    });
  return { metrics, seriesOf, attempt };
}

test.each<[number, string, Partial<ClaimedDelivery>]>([
  [1, 'at the first attempt', {}],
  [0, 'at a retry', { step: 1 }],
  [0, 'in a later run', { run: 2 }],
  [0, 'at an attempt by hand', { manual: true }],
])('the metric of the time from firing to the first attempt gets %i values %s', async (count, _, changes) => {
  const { attempt, seriesOf } = start();
  attempt(changes);
  expect(await seriesOf('tocsin_fired_to_first_attempt_seconds_count')).toBe(count);
  expect(await seriesOf('tocsin_fired_to_first_attempt_seconds_sum')).toBe(2 * count);
});

test('the time from firing to success is measured only for successful attempts', async () => {
  const { attempt, seriesOf } = start();
  attempt({});
  expect(await seriesOf('tocsin_fired_to_success_seconds_count')).toBe(0);
  attempt({ run: 2, step: 3 }, { kind: 'succeeded' });
  expect(await seriesOf('tocsin_fired_to_success_seconds_sum')).toBe(5);
});

test('if the firing time is in the future, the times to first attempt and to success are zero', async () => {
  const { attempt, seriesOf } = start();
  attempt({}, { kind: 'succeeded' }, 60_000);
  const sums = ['first_attempt', 'success'].map((name) => seriesOf(`tocsin_fired_to_${name}_seconds_sum`));
  expect(await Promise.all(sums)).toEqual([0, 0]);
});

test('attempts are counted by outcome and error code, and their durations measured by outcome', async () => {
  const { attempt, seriesOf } = start();
  attempt({});
  attempt({}, { kind: 'succeeded' });
  expect([
    await seriesOf('tocsin_attempts_total', { outcome: 'retry', error_code: 'timeout' }),
    await seriesOf('tocsin_attempts_total', { outcome: 'succeeded', error_code: '' }),
    await seriesOf('tocsin_attempt_seconds_sum', { outcome: 'retry' }),
  ]).toEqual([1, 1, 0.25]);
});

test('a delivery is counted when it ends, and not when it is retried', async () => {
  const { metrics, seriesOf } = start();
  metrics.recorded(retry);
  metrics.recorded({ kind: 'succeeded' });
  metrics.recorded({ kind: 'skipped', failure: { code: 'webhook_disabled', error: '' } });
  metrics.recorded({ kind: 'failed', failure });
  const ended = (outcome: string, error_code: string) =>
    seriesOf('tocsin_deliveries_total', { outcome, error_code });
  expect([
    await ended('retry', 'timeout'),
    await ended('succeeded', ''),
    await ended('skipped', 'webhook_disabled'),
    await ended('failed', 'timeout'),
  ]).toEqual([undefined, 1, 1, 1]);
});

test('the series of failures, retries and deferrals exist from the start, with the value 0', async () => {
  const { metrics, seriesOf } = start();
  expect([
    await seriesOf('tocsin_deliveries_total', { outcome: 'failed', error_code: 'http_status' }),
    await seriesOf('tocsin_deliveries_total', { outcome: 'failed', error_code: 'cancelled' }),
    await seriesOf('tocsin_attempts_total', { outcome: 'retry', error_code: 'internal_error' }),
    await seriesOf('tocsin_deferrals_total', { reason: 'paused' }),
    await seriesOf('tocsin_deferrals_total', { reason: 'no_signing_secret' }),
  ]).toEqual([0, 0, 0, 0, 0]);
  metrics.deferred('no_slot');
  expect(await seriesOf('tocsin_deferrals_total', { reason: 'no_slot' })).toBe(1);
});
