import { createBatchedLookup } from './batched-lookup.js';

function setUp() {
  const asked: string[][] = [];
  const answers: { resolve(): void; reject(error: Error): void }[] = [];
  const lookUp = createBatchedLookup<string>((ids) => {
    asked.push(ids);
    return new Promise((resolve, reject) => {
      answers.push({ resolve: () => resolve(new Map(ids.map((id) => [id, `hash of ${id}`]))), reject });
    });
  });
  return { lookUp, asked, answers };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('ids that arrive during a query share the next query', async () => {
  const { lookUp, asked, answers } = setUp();
  const first = lookUp('a');
  await settle();
  const others = ['b', 'c', 'b'].map((id) => lookUp(id));
  await settle();
  expect(asked).toEqual([['a']]);
  answers[0]!.resolve();
  expect(await first).toBe('hash of a');
  await settle();
  expect(asked).toEqual([['a'], ['b', 'c']]);
  answers[1]!.resolve();
  expect(await Promise.all(others)).toEqual(['hash of b', 'hash of c', 'hash of b']);
});

test('a failed query fails the lookups of its own batch only', async () => {
  const { lookUp, answers } = setUp();
  const first = lookUp('a');
  await settle();
  const second = lookUp('b');
  answers[0]!.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await settle();
  answers[1]!.resolve();
  expect(await second).toBe('hash of b');
});
