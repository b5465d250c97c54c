import { createReadLimiter } from './read-limiter.js';

/** Creates a limiter with eight permits. One workspace can hold four of them. */
const create = () => createReadLimiter({ databasePoolSize: 20, reads: 'lists' });

async function* pagesOf(count: number) {
  for (let page = 0; page < count; page += 1) yield [page];
}

test('a streamed list holds a permit only while it reads a page, not while the client is idle', async () => {
  const lists = create();
  const stalled = Array.from({ length: 33 }, (_, n) => lists.stream(`w${n % 8}`, pagesOf(2)));
  const iterators = stalled.map((pages) => pages[Symbol.asyncIterator]());
  for (const pages of iterators) expect(await pages.next()).toMatchObject({ done: false });
  const whole: number[] = [];
  for await (const page of lists.stream('w0', pagesOf(3))) whole.push(...page);
  expect(whole).toEqual([0, 1, 2]);
  for (const pages of iterators) await pages.return?.();
});

test('a list is rejected before it starts if its workspace has no free permit', async () => {
  const lists = create();
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let reading = 0;
  async function* slow() {
    reading += 1;
    await finished;
    yield [1];
  }
  const first = Array.from({ length: 5 }, () => lists.stream('w', slow())[Symbol.asyncIterator]().next());
  await expect(Promise.race(first)).rejects.toMatchObject({ code: 'too_many_requests' });
  expect(reading).toBe(4);
  finish();
  const settled = await Promise.allSettled(first);
  expect(settled.filter(({ status }) => status === 'fulfilled').length).toBe(4);
});

const { jest } = import.meta;

test('a search without a permit for 3 s fails; the error shows which limit was reached', async () => {
  jest.useFakeTimers();
  try {
    // Four permits, of which one workspace can hold two.
    const searches = createReadLimiter({ databasePoolSize: 10, reads: 'searches' });
    const hang = () => new Promise<never>(() => {});
    for (const workspace of ['a', 'a', null, null]) void searches.run(workspace, hang);
    const errors: unknown[] = [];
    for (const workspace of ['a', 'b', null])
      searches.run(workspace, hang).catch((error) => errors.push(error));
    await jest.advanceTimersByTimeAsync(2_999);
    expect(errors).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    const ofKey = {
      code: 'too_many_requests',
      detail: 'Other searches of this workspace are still running.',
      retryAfterSeconds: 2,
    };
    const inTotal = {
      code: 'unavailable',
      detail: 'Too many searches are running; try again.',
      retryAfterSeconds: 2,
    };
    expect(errors).toMatchObject([ofKey, inTotal, ofKey]);
  } finally {
    jest.useRealTimers();
  }
});

test('a limiter for a pool of one database connection lets one search run', async () => {
  const searches = createReadLimiter({ databasePoolSize: 1, reads: 'searches' });
  expect(await searches.run('a', async () => 'found')).toBe('found');
});

test.each([
  ['searches', 'This search takes too long. Narrow its time range with since and until.'],
  ['lists', 'This list takes too long. Set a smaller limit.'],
] as const)(
  'a statement timeout of %s gets 503, and another error is thrown unchanged',
  async (reads, detail) => {
    const { run } = createReadLimiter({ databasePoolSize: 10, reads });
    const timeout = Object.assign(new Error('canceled'), { code: '57014' });
    await expect(run('a', () => Promise.reject(timeout))).rejects.toMatchObject({
      code: 'unavailable',
      detail,
      retryAfterSeconds: 5,
    });
    const fault = new Error('other');
    await expect(run('a', () => Promise.reject(fault))).rejects.toBe(fault);
  },
);

test('the page iterator of a list is closed when the client stops reading', async () => {
  let isClosed = false;
  async function* pages() {
    try {
      yield [1];
      yield [2];
    } finally {
      isClosed = true;
    }
  }
  for await (const page of create().stream('w', pages())) {
    expect(page).toEqual([1]);
    break;
  }
  expect(isClosed).toBe(true);
});
