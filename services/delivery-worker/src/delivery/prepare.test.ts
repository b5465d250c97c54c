import { sampleFacts } from '@tocsin/template';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { defaultRetryPolicy } from './classify.js';
import { createRenderBody, type PrepareInput, prepare } from './prepare.js';
import type { DecryptedWebhook } from './webhooks-reader.js';

const { jest } = import.meta;

const hourMs = 3_600_000;
const nowMs = Date.parse('2026-01-31T12:00:00Z');

function prepareClaimed(claimed: Partial<ClaimedDelivery>, changes: Partial<PrepareInput> = {}) {
  return prepare({
    claimed: {
      webhook: { version: 1, enabled: true, retryOnTimeout: true },
      ageMs: 0,
      claimsWithoutOutcome: 1,
      step: 7,
      ...claimed,
    } as ClaimedDelivery,
    webhook: { url: 'http://a', headers: {}, body: '{}' } as DecryptedWebhook,
    render: () => ({ ok: true, output: '{}' }),
    policy: defaultRetryPolicy,
    random: 0.5,
    now: () => nowMs,
    ...changes,
  });
}

function prepareUndecryptable(ageMs: number, random: number) {
  return prepareClaimed({ ageMs }, { webhook: { id: 'a', error: new Error('no key') }, random });
}

test.each([
  [0, 2_000, 5_000],
  [30_000, 2_000, 5_000],
  [5 * 60_000, 15_000, 45_000],
  [23 * hourMs, 30_000, 90_000],
])('an undecryptable webhook defers a delivery of age %d ms by %d to %d ms', (ageMs, least, most) => {
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

test.each([
  [0, 3_500],
  [35_000, 3_500],
  [35_010, 3_501],
  [599_990, 59_999],
  [23 * hourMs, 60_000],
])('an undecryptable webhook defers a delivery of age %d ms by %d ms (jitter 40 %%)', (ageMs, waitMs) => {
  const waits = [0, 0.5, 1].map((random) => prepareUndecryptable(ageMs, random));
  expect(waits).toMatchObject(
    [0.6, 1, 1.4].map((factor) => ({ afterMs: expect.closeTo(waitMs * factor, 6) })),
  );
});

test('the error of an expired delivery mentions that its webhook cannot be decrypted', () => {
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

test('the filter random returns the same values in every attempt of a delivery', () => {
  const body = '{"a": {{ range(100000) | random }}, "b": {{ range(100000) | random }}}';
  const render = (deliveryId: string) =>
    prepareClaimed(
      { deliveryId, facts: sampleFacts },
      { webhook: { url: 'http://a', headers: {}, body } as DecryptedWebhook, render: createRenderBody() },
    );
  expect(render('a')).toMatchObject({ kind: 'request' });
  expect(render('a')).toEqual(render('a'));
  expect(render('b')).not.toEqual(render('a'));
});

test('a prepared request has the destination of the webhook and the rendered body', () => {
  const headers = { 'X-A': ['1'] };
  const redact = (text: string) => text;
  const webhook = { destination: 'http://a', url: 'http://a/b', headers, body: 'source', redact };
  const render = (source: string) => ({ ok: true, output: `rendered ${source}` }) as const;
  const prepared = prepareClaimed({}, { webhook: webhook as unknown as DecryptedWebhook, render });
  expect(prepared).toEqual({
    kind: 'request',
    destination: 'http://a',
    url: 'http://a/b',
    headers,
    body: 'rendered source',
    redact,
  });
});

test.each<[string, Partial<ClaimedDelivery>, Partial<PrepareInput>, object]>([
  [
    'crashes_worker after 9 claims',
    { claimsWithoutOutcome: 9, webhook: undefined },
    {},
    { kind: 'failed', failure: { code: 'crashes_worker', error: 'Claimed 8 times without an outcome.' } },
  ],
  [
    'webhook_deleted before its claim',
    { webhook: undefined },
    {},
    { kind: 'failed', failure: { code: 'webhook_deleted', error: expect.stringContaining('deleted') } },
  ],
  [
    'webhook_deleted after its claim',
    {},
    { webhook: undefined },
    { kind: 'failed', failure: { code: 'webhook_deleted', error: expect.stringContaining('deleted') } },
  ],
  [
    'webhook_disabled, although it has expired',
    { webhook: { version: 1, enabled: false, retryOnTimeout: true }, ageMs: 25 * hourMs },
    {},
    { kind: 'skipped', failure: { code: 'webhook_disabled', error: 'The webhook is disabled.' } },
  ],
  [
    'expired, although its webhook is paused',
    { ageMs: 24 * hourMs + 1, pause: { reason: 'circuit', remainingMs: 1_000, times: 1 } },
    {},
    { kind: 'failed', failure: { code: 'expired', error: 'The delivery was not made in time.' } },
  ],
])('a delivery ends without a request as %s', (_, claimed, changes, outcome) => {
  expect(prepareClaimed(claimed, changes)).toEqual({ kind: 'unsent', outcome });
});

test('a delivery with exactly eight claims without an outcome and exactly 24 hours old is sent', () => {
  expect(prepareClaimed({ claimsWithoutOutcome: 8, ageMs: 24 * hourMs })).toMatchObject({ kind: 'request' });
});

test('a delivery waits for the end of a pause, five minutes at most, and is sent after it', () => {
  const paused = (remainingMs: number) =>
    prepareClaimed({ pause: { reason: 'retry_after', remainingMs, times: 1 } });
  expect(paused(1_234)).toEqual({ kind: 'deferred', afterMs: 1_234, reason: 'paused' });
  expect(paused(86_400_000)).toMatchObject({ kind: 'deferred', afterMs: 300_000 });
  expect([paused(0), paused(-1)]).toMatchObject([{ kind: 'request' }, { kind: 'request' }]);
});

test('a delivery that a user has redelivered is also deferred while its webhook is paused', () => {
  const pause = { reason: 'circuit', remainingMs: 5_000, times: 1 } as const;
  expect(prepareClaimed({ manual: true, pause })).toMatchObject({ kind: 'deferred', reason: 'paused' });
});

test('the deferral of a delivery whose webhook is paused and undecryptable has the reason paused', () => {
  const webhook = { id: 'a', error: new Error('no key') };
  const pause = { reason: 'circuit', remainingMs: 5_000, times: 1 } as const;
  expect(prepareClaimed({ pause }, { webhook })).toMatchObject({ reason: 'paused' });
});

test('a template error fails a delivery, and a rendering that exceeds its time limit is retried', () => {
  const failing = (code: 'template_error' | 'internal_error') => () =>
    ({ ok: false, code, error: 'A sentence.' }) as const;
  expect(prepareClaimed({ step: 2 }, { render: failing('template_error') })).toEqual({
    kind: 'unsent',
    outcome: { kind: 'failed', failure: { code: 'template_error', error: 'A sentence.' } },
  });
  expect(prepareClaimed({ step: 2 }, { render: failing('internal_error'), random: 1 })).toEqual({
    kind: 'unsent',
    outcome: {
      kind: 'retry',
      afterMs: 144_000,
      step: 3,
      failure: { code: 'internal_error', error: 'A sentence.' },
    },
  });
});

test('a rendering that exceeds its time limit has the error code internal_error', () => {
  let nowMs = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => {
    nowMs += 10_000;
    return nowMs;
  });
  const delivery = { deliveryId: 'd', facts: sampleFacts };
  const rendered = createRenderBody()('[{% for i in range(9000) %}{% endfor %}1]', delivery);
  clock.mockRestore();
  expect(rendered).toMatchObject({ ok: false, code: 'internal_error' });
});

test('if the rendered body is not JSON, the body is kept and the error states the position', () => {
  const delivery = { deliveryId: 'd', facts: sampleFacts };
  const render = createRenderBody();
  expect(render('{"a":\n {{ alert_rule_name }}}', delivery)).toEqual({
    ok: false,
    code: 'invalid_json',
    output: expect.stringContaining(sampleFacts.alert_rule_name.slice(0, 3)),
    error: expect.stringMatching(
      /^The rendered body is not JSON: .* \(line 2, column \d+ of the rendered body\)\.$/,
    ),
  });
  expect(render('{"a": {{ 1 / 0 }}}', delivery)).toEqual({
    ok: false,
    code: 'template_error',
    error: expect.stringMatching(/ \(line 1, column \d+ of the template\)$/),
  });
  expect(render('{"a": {{ 1 }', delivery)).toMatchObject({ ok: false, code: 'template_error' });
  const { output } = render('{{ alert_rule_name }}', delivery) as { output: string };
  const failing = () => ({ ok: false, code: 'invalid_json', error: 'No.', output }) as const;
  expect(prepareClaimed({}, { render: failing })).toEqual({
    kind: 'unsent',
    outcome: { kind: 'failed', failure: { code: 'invalid_json', error: 'No.' } },
    rendered: output,
  });
});

describe('the options of a webhook', () => {
  const options = {
    retryScheduleMs: [1_000],
    timeoutMs: undefined,
    rateLimit: { requests: 5, periodMs: 1_000 },
    signingKeys: undefined,
    idempotencyHeader: undefined,
    manualPauses: [],
  };
  const webhook = { url: 'http://a', headers: {}, body: '{}', options } as unknown as DecryptedWebhook;

  test('a rate-limited webhook gets a delivery only if its claim took a request from the limit', () => {
    expect(prepareClaimed({}, { webhook })).toEqual({
      kind: 'deferred',
      afterMs: 0,
      reason: 'rate_limit',
    });
    const withRequest = { limitedClaim: 'with_request' } as const;
    expect(prepareClaimed(withRequest, { webhook })).toMatchObject({ kind: 'request', options });
  });

  test('a deferral has the first of these reasons: pause, rate limit, no secret, render budget', () => {
    const both = { ...webhook, options: { ...options, signingKeys: [] } } as DecryptedWebhook;
    const pause = { reason: 'circuit', remainingMs: 5_000, times: 1 } as const;
    const reasonOf = (claimed: Partial<ClaimedDelivery>) =>
      prepareClaimed(claimed, { webhook: both, render: undefined });
    expect(reasonOf({ pause })).toMatchObject({ reason: 'paused' });
    expect(reasonOf({})).toMatchObject({ reason: 'rate_limit' });
    expect(reasonOf({ limitedClaim: 'with_request' })).toMatchObject({ reason: 'no_signing_secret' });
  });

  const webhookWith = (changes: object) =>
    ({
      ...webhook,
      options: { ...options, rateLimit: undefined, ...changes },
    }) as unknown as DecryptedWebhook;

  test('the time of manual pauses does not count towards the expiry of a delivery', () => {
    const sixHours = webhookWith({ manualPauses: [[nowMs - 10 * hourMs, nowMs - 4 * hourMs]] });
    const prepared = (ageMs: number) => prepareClaimed({ ageMs }, { webhook: sixHours });
    expect(prepared(30 * hourMs)).toMatchObject({ kind: 'request' });
    expect(prepared(30 * hourMs + 1)).toMatchObject({ outcome: { failure: { code: 'expired' } } });
  });

  test.each([
    ['', {}],
    [' The rate limit of the webhook is 5 requests in 1000 ms.', { rateLimit: options.rateLimit }],
    [' The webhook signs its requests and had no signing secret.', { signingKeys: [] }],
    ['', { signingKeys: [{ key: Buffer.from('k'), expiresAtMs: nowMs + 1 }] }],
    [
      ' The webhook signs its requests and had no signing secret.',
      { signingKeys: [{ key: Buffer.from('k'), expiresAtMs: nowMs }], rateLimit: options.rateLimit },
    ],
  ])('the error of an expired delivery ends with "%s" if its webhook has %j', (reason, changes) => {
    const prepared = prepareClaimed({ ageMs: 25 * hourMs }, { webhook: webhookWith(changes) });
    const failure = { code: 'expired', error: `The delivery was not made in time.${reason}` };
    expect(prepared).toEqual({ kind: 'unsent', outcome: { kind: 'failed', failure } });
  });

  test('a delivery of a webhook that signs is deferred while no secret is valid', () => {
    const key = (expiresAtMs: number) => ({ key: Buffer.from('k'), expiresAtMs });
    const prepared = (signingKeys: object[]) =>
      prepareClaimed({ ageMs: 100_000 }, { webhook: webhookWith({ signingKeys }) });
    const deferred = { kind: 'deferred', afterMs: 10_000, reason: 'no_signing_secret' };
    expect([prepared([]), prepared([key(nowMs)])]).toEqual([deferred, deferred]);
    expect(prepared([key(nowMs), key(nowMs + 1)])).toMatchObject({ kind: 'request' });
    expect(prepareClaimed({ ageMs: 0 }, { webhook: webhookWith({ signingKeys: [] }) })).toMatchObject({
      afterMs: 3_500,
    });
  });

  test('a rendering that exceeds its time limit is retried with the schedule of its webhook', () => {
    const render = () => ({ ok: false, code: 'internal_error', error: 'Too slow.' }) as const;
    expect(prepareClaimed({ step: 0, limitedClaim: 'with_request' }, { webhook, render })).toMatchObject({
      outcome: { kind: 'retry', afterMs: 1_000, step: 1 },
    });
    expect(prepareClaimed({ step: 1, limitedClaim: 'with_request' }, { webhook, render })).toMatchObject({
      outcome: { kind: 'failed' },
    });
  });
});
