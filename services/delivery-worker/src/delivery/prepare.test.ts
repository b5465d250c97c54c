import type { Claimed } from './claimed.js';
import { prepare } from './prepare.js';
import { defaultRetryPolicy } from './retry-policy.js';

const hourMs = 3_600_000;

function prepareUnopened(ageMs: number, random: number) {
  const webhook = { version: 1, enabled: true, retryOnTimeout: true };
  const claimed = { webhook, ageMs, crashes: 1, step: 7, leaseEndsAtMs: 30_000 } as Claimed;
  return prepare({
    claimed,
    destination: { id: 'a', error: new Error('no key') },
    render: () => ({ ok: true, output: '{}' }),
    policy: defaultRetryPolicy,
    random,
    nowMs: 0,
  });
}

test.each([
  [0, 2_000, 5_000],
  [30_000, 2_000, 5_000],
  [5 * 60_000, 15_000, 45_000],
  [23 * hourMs, 30_000, 90_000],
])(
  'a webhook that cannot be opened is left to others, past the last step too: at %d ms for %d to %d ms',
  (ageMs, least, most) => {
    const waits = [0, 0.5, 1].map((random) => {
      const prepared = prepareUnopened(ageMs, random);
      expect(prepared).toMatchObject({ kind: 'deferred', reason: 'unopened' });
      expect(prepared).toMatchObject({ failure: { code: 'internal_error' } });
      return prepared.kind === 'deferred' ? prepared.afterMs : Number.NaN;
    });
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...waits)).toBeLessThanOrEqual(most);
    expect(waits[0]).toBeLessThan(waits[2]!);
  },
);

test('a delivery expires although its webhook cannot be opened, and says both', () => {
  const prepared = prepareUnopened(25 * hourMs, 0.5);
  expect(prepared).toMatchObject({ verdict: { kind: 'failed', failure: { code: 'expired' } } });
  expect(JSON.stringify(prepared)).toContain('cannot be opened');
});
