import { setTimeout as sleep } from 'node:timers/promises';
import { acceptedAgeMs, createSharedResponses } from './shared-responses.js';

test.each([
  [undefined, 0],
  ['', 0],
  ['max-age=1', 1_000],
  ['Max-Age=2', 2_000],
  ['no-transform, max-age=3', 3_000],
  ['max-age=4,no-transform', 4_000],
  ['max-age=3600', 10_000],
  ['max-age=999999999', 10_000],
  ['max-age=9999999999', 0],
  ['max-age=-1', 0],
  ['max-age="1"', 0],
  ['max-age=1.5', 0],
  ['max-age', 0],
  ['x-max-age=1', 0],
  ['no-cache, max-age=5', 0],
  ['max-age=5, no-store', 0],
])('a request with Cache-Control %j accepts a response that is up to %i ms old', (header, ageMs) => {
  expect(acceptedAgeMs(header)).toBe(ageMs);
});

/** Returns a function that counts its calls. Each call resolves to a response with its number. */
function counter() {
  let calls = 0;
  return async () => {
    calls += 1;
    return { status: 200, headers: { 'X-Call': String(calls) }, body: [calls] };
  };
}

test('a response is shared with a caller unless it is older than the caller accepts', async () => {
  const shared = createSharedResponses();
  const read = counter();
  const bodyOf = async (key: string, maxAgeMs: number) =>
    (await shared.get(key, maxAgeMs, read))?.body.toString();
  expect(await bodyOf('a', 1_000)).toBe('[1]');
  expect(await bodyOf('a', 60_000)).toBe('[1]');
  expect(await bodyOf('b', 60_000)).toBe('[2]');
  await sleep(30);
  expect(await bodyOf('a', 60_000)).toBe('[1]');
  expect(await bodyOf('a', 20)).toBe('[3]');
  expect(await shared.get('a', 60_000, read)).toMatchObject({ status: 200, headers: { 'X-Call': '3' } });
});

test('concurrent callers share one read, and the error of a failed read is not cached', async () => {
  const shared = createSharedResponses();
  let calls = 0;
  const fail = async () => {
    calls += 1;
    await sleep(10);
    throw new Error('unavailable');
  };
  const both = await Promise.allSettled([shared.get('a', 1_000, fail), shared.get('a', 1_000, fail)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(calls).toBe(1);
  expect((await shared.get('a', 60_000, counter()))?.body.toString()).toBe('[1]');
});

/**
 * Returns a function that reads a response with the given pages, and a function that returns true once the generator of
 * the pages has ended or was closed.
 */
function inPages(...pages: unknown[][]) {
  let isClosed = false;
  async function* body() {
    try {
      yield* pages;
    } finally {
      isClosed = true;
    }
  }
  return { read: async () => ({ status: 200, body: body() }), isClosed: () => isClosed };
}

test('the pages of a list are joined to one JSON body', async () => {
  const shared = createSharedResponses();
  expect((await shared.get('a', 1_000, inPages([1, 2], [], [{ a: 3 }]).read))?.body.toString()).toBe(
    '[1,2,{"a":3}]',
  );
  expect((await shared.get('b', 1_000, inPages().read))?.body.toString()).toBe('[]');
});

test('a caller starts its own read if a running read is older than the caller accepts', async () => {
  const shared = createSharedResponses();
  const slow = async () => {
    await sleep(60);
    return { status: 200, body: ['slow'] };
  };
  const first = shared.get('a', 1_000, slow);
  await sleep(40);
  expect((await shared.get('a', 20, counter()))?.body.toString()).toBe('[1]');
  expect((await first)?.body.toString()).toBe('["slow"]');
  expect((await shared.get('a', 60_000, counter()))?.body.toString()).toBe('[1]');
});

test('a response is not shared after it is discarded, even if its read is still running', async () => {
  const shared = createSharedResponses();
  const read = counter();
  await shared.get('a', 1_000, read);
  shared.discard('a');
  const second = shared.get('a', 60_000, read);
  shared.discard('a');
  expect((await second)?.body.toString()).toBe('[2]');
  expect((await shared.get('a', 60_000, read))?.body.toString()).toBe('[3]');
});

test('a body above 4 MiB is shared with the callers that wait for it, and is not cached', async () => {
  const shared = createSharedResponses();
  let calls = 0;
  const read = async () => {
    calls += 1;
    return { status: 200, body: ['é'.repeat(2_200_000)] };
  };
  await Promise.all([shared.get('a', 60_000, read), shared.get('a', 60_000, read)]);
  expect(calls).toBe(1);
  await shared.get('a', 60_000, read);
  expect(calls).toBe(2);
});

test('no further page of a list is read above 4 MiB, and the list is not shared', async () => {
  const shared = createSharedResponses();
  const long = inPages(['a'.repeat(3_000_000)], ['b'.repeat(3_000_000)], ['c']);
  expect(await shared.get('a', 1_000, long.read)).toBeUndefined();
  expect(long.isClosed()).toBe(true);
  expect((await shared.get('a', 1_000, counter()))?.body.toString()).toBe('[1]');
});
