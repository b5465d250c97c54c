import { spawnSync } from 'node:child_process';
import type { RawResponse } from './response-reader.js';
import { SendFailure } from './send-failure.js';
import { parseRetryAfter, toHttpResponse, toSendError } from './send-result.js';

const limits = { maxResponseBytes: 65_536, startedAtMs: performance.now() };

function noteOf(
  contentEncoding: string | undefined,
  body = 'x',
  changes: Partial<RawResponse> = {},
  options = limits,
) {
  const response: RawResponse = {
    statusCode: 200,
    contentType: undefined,
    contentEncoding,
    retryAfter: undefined,
    location: undefined,
    body: Buffer.from(body),
    isTooLong: false,
    bodyNote: undefined,
    isComplete: true,
    isReusable: true,
    ...changes,
  };
  return toHttpResponse(response, options);
}

test.each([undefined, '', ' ', 'identity', '\tIDENTITY '])(
  'a body with the content coding %j counts as not encoded',
  (encoding) => {
    expect(noteOf(encoding)).toMatchObject({ bodyNote: undefined });
  },
);

test.each(['gzip', 'identity, gzip', 'identityx', '\xa0gzip', '-'])(
  'a body with the content coding %j is marked as encoded unless it is empty',
  (encoding) => {
    expect(noteOf(encoding)).toMatchObject({ bodyNote: 'encoded' });
    expect(noteOf(encoding, '')).toMatchObject({ bodyNote: undefined });
  },
);

test('a body that is too long or incomplete is reported as truncated', () => {
  const truncated = (changes: Partial<RawResponse>) => noteOf(undefined, 'x', changes);
  expect(truncated({})).toMatchObject({ truncated: false });
  expect(truncated({ isTooLong: true })).toMatchObject({ truncated: true });
  expect(truncated({ isComplete: false })).toMatchObject({ truncated: true });
});

test('a body above the size limit is shortened and reported as truncated', () => {
  const shortened = noteOf(undefined, 'abc', {}, { ...limits, maxResponseBytes: 2 });
  expect(shortened).toMatchObject({ body: 'ab', truncated: true });
});

test('the result of a cut response has its status, body and headers, a note and the duration', () => {
  const changes = { statusCode: 503, retryAfter: '7', location: '/b', bodyNote: 'cut' } as const;
  const startedAtMs = performance.now() - 1_000_000;
  expect(noteOf('gzip', 'é', changes, { ...limits, startedAtMs })).toEqual({
    kind: 'response',
    statusCode: 503,
    body: 'é',
    truncated: false,
    bodyNote: 'cut',
    retryAfterSeconds: 7,
    retryAfter: '7',
    location: '/b',
    durationMs: expect.any(Number),
  });
  const { durationMs } = noteOf(undefined, 'x', {}, { ...limits, startedAtMs });
  expect(durationMs).toBeGreaterThanOrEqual(1_000_000);
  expect(durationMs).toBeLessThan(1_060_000);
  expect(Number.isInteger(durationMs)).toBe(true);
});

test('a send failure becomes a result with the code and message of the failure and a duration', () => {
  const failure = new SendFailure('timeout', 'A sentence.');
  const result = toSendError(failure, performance.now() - 1_000_000);
  expect(result).toEqual({
    kind: 'error',
    code: 'timeout',
    error: 'A sentence.',
    durationMs: expect.any(Number),
  });
  expect(Math.abs(result.durationMs - 1_000_000)).toBeLessThan(60_000);
});

test('a header of 200,000 spaces does not block the event loop', () => {
  const before = performance.now();
  // An implementation with quadratic time takes half a minute for this header.
  expect(noteOf(`${'\xa0'.repeat(200_000)}x`)).toMatchObject({ bodyNote: 'encoded' });
  expect(performance.now() - before).toBeLessThan(5000);
});

const now = Date.parse('2026-03-01T12:00:00Z');

test.each([
  ['0', 0],
  ['120', 120],
  [' 5 ', 5],
  ['Sun, 01 Mar 2026 12:01:30 GMT', 90],
  ['Sunday, 01-Mar-26 12:01:30 GMT', 90],
  ['Sun Mar  1 12:01:30 2026', 90],
  ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
  ['99999999999999999999999999', Number.MAX_SAFE_INTEGER],
])('Retry-After "%s" means %d seconds', (value, seconds) => {
  expect(parseRetryAfter(value, now)).toBe(seconds);
});

test.each(['America/New_York', 'Asia/Kolkata'])(
  'a Retry-After date without a zone is read as UTC in the time zone %s',
  (zone) => {
    // A separate process is needed, because V8 reads the time zone when the process starts.
    const built = new URL('../dist/send-result.js', import.meta.url);
    const code = `
    import { parseRetryAfter } from ${JSON.stringify(built.href)};
    console.log(parseRetryAfter('Sun Mar  1 12:01:30 2026', ${now}), new Date(0).getTimezoneOffset());`;
    const args = ['--input-type=module', '--eval', code];
    const { stdout } = spawnSync(process.execPath, args, { env: { TZ: zone }, encoding: 'utf8' });
    const [seconds, offset] = stdout.trim().split(' ').map(Number);
    expect([seconds, offset === 0]).toEqual([90, false]);
  },
);

test('Retry-After is rounded up to a whole second, so that no retry is sent too early', () => {
  expect(parseRetryAfter('Sun, 01 Mar 2026 12:00:01 GMT', now + 1)).toBe(1);
});

test.each([
  '',
  '-1',
  '1.5',
  '1e3',
  '0x10',
  'soon',
  '2026-03-01T12:00:00Z',
  'Sun, 99 Zzz 2026 99:99:99 GMT',
  '5 s',
  'foo Sun, 01 Mar 2026 12:01:30 GMT',
  'Sun, 01 Mar 2026 12:01:30 GMT (x)',
  'SUN, 01 Mar 2026 12:01:30 GMT',
  '01 Mar 2026 12:01:30 GMT',
])('Retry-After "%s" is invalid', (value) => {
  expect(parseRetryAfter(value, now)).toBeUndefined();
});
