import { createWholeLists } from './whole-lists.js';

async function* pagesOf(count: number) {
  for (let page = 0; page < count; page += 1) yield [page];
}

test('lists whose clients do not read keep nobody from theirs', async () => {
  const lists = createWholeLists();
  // Of a page more than there are places: each has sent one, and waits to be asked for the next.
  const stalled = Array.from({ length: 33 }, (_, n) => lists.stream(`w${n % 8}`, pagesOf(2)));
  const begun = stalled.map((pages) => pages[Symbol.asyncIterator]());
  for (const pages of begun) expect(await pages.next()).toMatchObject({ done: false });
  const whole: number[] = [];
  for await (const page of lists.stream('w0', pagesOf(3))) whole.push(...page);
  expect(whole).toEqual([0, 1, 2]);
  for (const pages of begun) await pages.return?.();
});

test('so many pages are read at a time, and who gets no place is told', async () => {
  const lists = createWholeLists();
  let answer = () => {};
  const ready = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let reading = 0;
  async function* slow() {
    reading += 1;
    await ready;
    yield [1];
  }
  const asked = Array.from({ length: 5 }, () => lists.stream('w', slow())[Symbol.asyncIterator]().next());
  await expect(Promise.race(asked)).rejects.toMatchObject({ code: 'too_many_requests' });
  expect(reading).toBe(4);
  answer();
  expect((await Promise.allSettled(asked)).filter(({ status }) => status === 'fulfilled').length).toBe(4);
});
