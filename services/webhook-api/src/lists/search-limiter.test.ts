import { createSearchLimiter } from './search-limiter.js';

/** Creates a limiter with eight permits. One workspace can hold four of them. */
const create = () => createSearchLimiter({ databasePoolSize: 20, reads: 'lists' });

async function* pagesOf(count: number) {
  for (let page = 0; page < count; page += 1) yield [page];
}

test('a streamed list holds no permit while its client reads nothing', async () => {
  const lists = create();
  const stalled = Array.from({ length: 33 }, (_, n) => lists.stream(`w${n % 8}`, pagesOf(2)));
  const iterators = stalled.map((pages) => pages[Symbol.asyncIterator]());
  for (const pages of iterators) expect(await pages.next()).toMatchObject({ done: false });
  const whole: number[] = [];
  for await (const page of lists.stream('w0', pagesOf(3))) whole.push(...page);
  expect(whole).toEqual([0, 1, 2]);
  for (const pages of iterators) await pages.return?.();
});

test('a workspace without a free permit is rejected before its list starts', async () => {
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
