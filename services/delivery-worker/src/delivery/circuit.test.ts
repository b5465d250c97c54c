import type { SendResult } from '@tocsin/egress';
import { response } from '../../test/support/deliverer.js';
import { type CircuitInput, changePause, circuitPauseMs, createFailureCounter } from './circuit.js';

test('failures of five deliveries in a row open the circuit; six failures of one delivery do not', () => {
  const failures = createFailureCounter();
  expect([1, 2, 3, 4, 5, 6].map(() => failures.fail('w', 'retried'))).toEqual(Array(6).fill(false));
  expect(['a', 'b', 'c'].map((id) => failures.fail('w', id))).toEqual([false, false, false]);
  expect(failures.fail('w', 'd')).toBe(true);
});

test('failures of another webhook and failures before a reset of the count are not counted', () => {
  const failures = createFailureCounter();
  for (const id of ['a', 'b', 'c', 'd']) failures.fail('w', id);
  failures.reset('w');
  expect(failures.fail('w', 'e')).toBe(false);
  expect(failures.fail('v', 'f')).toBe(false);
});

test('each failed probe doubles the pause, up to five minutes, with a jitter of 20 %', () => {
  expect([1, 2, 3, 6, 20].map((times) => circuitPauseMs(times, 0.5))).toEqual([
    10_000, 20_000, 40_000, 300_000, 300_000,
  ]);
  expect([0, 1].map((random) => circuitPauseMs(1, random))).toEqual([8_000, 12_000]);
  expect([0, 1].map((random) => circuitPauseMs(20, random))).toEqual([240_000, 360_000]);
});

const ownFault: SendResult = { kind: 'error', code: 'internal_error', error: 'EMFILE', durationMs: 1 };

function change(
  result: SendResult,
  pause: CircuitInput['claimed']['pause'],
  failures = createFailureCounter(),
) {
  const webhook = { version: 3, enabled: true, retryOnTimeout: true };
  const claimed = { webhookId: 'w', deliveryId: 'd', webhook, pause };
  return changePause({ claimed, result, failures, random: 0.5 });
}

test('a 404 response to a probe closes the circuit, and a 500 pauses the webhook for longer', () => {
  const open = { reason: 'circuit' as const, remainingMs: 0, times: 2 };
  expect(change(response(404), open)).toBe('resume');
  expect(change(response(500), open)).toEqual({
    webhookId: 'w',
    version: 3,
    reason: 'circuit',
    forMs: 40_000,
    times: 3,
    error: 'The destination responded with status 500.',
  });
});

test('a 429 or 503 with Retry-After pauses the webhook, and a single 500 does not', () => {
  expect(change(response(429, { retryAfterSeconds: 7 }), undefined)).toEqual({
    webhookId: 'w',
    version: 3,
    reason: 'retry_after',
    forMs: 7_000,
    times: 1,
    error: 'The destination responded with status 429.',
  });
  const probed = { reason: 'circuit', remainingMs: 0, times: 2 } as const;
  expect(change(response(503, { retryAfterSeconds: 7 }), probed)).toMatchObject({
    reason: 'retry_after',
    forMs: 7_000,
    times: 1,
  });
  expect([change(response(500), undefined), change(response(200), undefined)]).toEqual([
    undefined,
    undefined,
  ]);
});

test('the failure that opens the circuit pauses the webhook and resets the failure count', () => {
  const failures = createFailureCounter();
  for (const id of ['a', 'b', 'c', 'e']) failures.fail('w', id);
  expect(change(response(503), undefined, failures)).toMatchObject({
    reason: 'circuit',
    forMs: 10_000,
    times: 1,
  });
  expect(change(response(503), undefined, failures)).toBeUndefined();
});

test('a 200 response after a pause by Retry-After ends the pause and resets the failure count', () => {
  const failures = createFailureCounter();
  for (const id of ['a', 'b', 'c', 'e']) failures.fail('w', id);
  const waited = { reason: 'retry_after' as const, remainingMs: 0, times: 1 };
  expect(change(response(200), waited, failures)).toBe('resume');
  expect(change(response(503), undefined, failures)).toBeUndefined();
});

test('a failure after a pause by Retry-After does not count as a failed probe', () => {
  const waited = { reason: 'retry_after' as const, remainingMs: 0, times: 1 };
  expect(change(response(503), waited)).toBeUndefined();
});

test('a 429 with a Retry-After of zero seconds counts as a failure', () => {
  const failures = createFailureCounter();
  for (const id of ['a', 'b', 'c', 'e']) failures.fail('w', id);
  expect(change(response(429, { retryAfterSeconds: 0 }), undefined, failures)).toMatchObject({
    reason: 'circuit',
  });
});

test('a 503 with Retry-After neither counts as a failure nor resets the count of failures', () => {
  const failures = createFailureCounter();
  for (const id of ['a', 'b', 'c', 'e']) failures.fail('w', id);
  const limited = response(503, { retryAfterSeconds: 7 });
  expect(change(limited, undefined, failures)).toMatchObject({ reason: 'retry_after' });
  expect(change(response(503), undefined, failures)).toMatchObject({ reason: 'circuit', times: 1 });
});

test('a fault of this worker neither opens nor closes the circuit', () => {
  const failures = createFailureCounter();
  for (const id of ['a', 'b', 'c', 'e']) failures.fail('w', id);
  expect(change(ownFault, undefined, failures)).toBeUndefined();
  expect(change(ownFault, { reason: 'circuit', remainingMs: 0, times: 1 }, failures)).toBeUndefined();
  expect(change(response(503), undefined, failures)).toMatchObject({ reason: 'circuit', times: 1 });
});

test('a pause after a claim without a webhook has version 0, which no webhook has', () => {
  const claimed = { webhookId: 'w', deliveryId: 'd', webhook: undefined, pause: undefined };
  const result = response(503, { retryAfterSeconds: 7 });
  const paused = changePause({ claimed, result, failures: createFailureCounter(), random: 0.5 });
  expect(paused).toMatchObject({ version: 0 });
});
