import { sampleFacts } from '@tocsin/template';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { createRenderBody, type PrepareInput, prepare } from './prepare.js';
import { defaultRetryPolicy } from './retry-policy.js';
import type { Destination } from './webhooks-reader.js';

const hourMs = 3_600_000;
const nowMs = Date.parse('2026-01-31T12:00:00Z');

function prepareClaimed(claimed: Partial<ClaimedDelivery>, changes: Partial<PrepareInput> = {}) {
  const webhook = { version: 1, enabled: true, retryOnTimeout: true };
  return prepare({
    claimed: {
      webhook,
      ageMs: 0,
      claimsWithoutOutcome: 1,
      step: 7,
      ...claimed,
    } as ClaimedDelivery,
    destination: { url: 'http://a', headers: {}, body: '{}' } as Destination,
    render: () => ({ ok: true, output: '{}' }),
    policy: defaultRetryPolicy,
    random: 0.5,
    now: () => nowMs,
    ...changes,
  });
}

function prepareUndecryptable(ageMs: number, random: number) {
  return prepareClaimed({ ageMs }, { destination: { id: 'a', error: new Error('no key') }, random });
}

test.each([
  [0, 2_000, 5_000],
  [30_000, 2_000, 5_000],
  [5 * 60_000, 15_000, 45_000],
  [23 * hourMs, 30_000, 90_000],
])('an undecryptable delivery of age %d ms waits for another worker, %d to %d ms', (ageMs, least, most) => {
  const prepare = (random: number) => {
    const prepared = prepareUndecryptable(ageMs, random);
    expect(prepared).toMatchObject({ kind: 'deferred', reason: 'undecryptable' });
    expect(prepared).toMatchObject({ failure: { code: 'internal_error' } });
    return prepared.kind === 'deferred' ? prepared.afterMs : Number.NaN;
  };
  const waits = [0, 0.5, 1].map(prepare);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(least);
  expect(Math.max(...waits)).toBeLessThanOrEqual(most);
  expect(waits[0]).toBeLessThan(waits[2]!);
});

test('an undecryptable delivery expires, and its error names both reasons', () => {
  const prepared = prepareUndecryptable(25 * hourMs, 0.5);
  expect(prepared).toMatchObject({ outcome: { kind: 'failed', failure: { code: 'expired' } } });
  expect(JSON.stringify(prepared)).toContain('cannot be decrypted');
});

test('a delivery of a workspace over its render budget is deferred for one to two seconds', () => {
  const waits = [0, 1].map((random) => prepareClaimed({}, { render: undefined, random }));
  expect(waits).toEqual(
    [1_000, 2_000].map((afterMs) => ({ kind: 'deferred', afterMs, reason: 'render_budget' })),
  );
});

test('the filter random makes the same choice in every attempt of a delivery', () => {
  const body = '{"a": {{ range(100000) | random }}, "b": {{ range(100000) | random }}}';
  const render = (deliveryId: string) =>
    prepareClaimed(
      { deliveryId, facts: sampleFacts },
      { destination: { url: 'http://a', headers: {}, body } as Destination, render: createRenderBody() },
    );
  expect(render('a')).toMatchObject({ kind: 'request' });
  expect(render('a')).toEqual(render('a'));
  expect(render('b')).not.toEqual(render('a'));
});
