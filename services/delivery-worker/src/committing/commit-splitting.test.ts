import { commitSplitting } from './commit-splitting.js';
import type { Patience } from './patience.js';

const patience: Patience = { untilAnswered: (work) => work(), rest: async () => true };
const numbers = Array.from({ length: 100 }, (_, index) => index);

/** Commits numbers, but none together with one of the `bad`. */
function start(bad: number[], error: Error) {
  const tries: number[][] = [];
  const commit = async (items: number[]) => {
    tries.push(items);
    if (items.some((item) => bad.includes(item))) throw error;
    return items.map((item) => `${item} is committed`);
  };
  return { tries, ends: commitSplitting(numbers, { patience, commit }) };
}

test.each(['P0001', '42501', '54000', 'XX001', '22P05', undefined])(
  'a batch is split on an error with code %s, and only what fails alone has failed',
  async (code) => {
    const reason = Object.assign(new Error('refused'), code && { code });
    const { ends } = start([50, 99], reason);
    expect(await ends).toEqual(
      numbers.map((item) =>
        item === 50 || item === 99
          ? { status: 'rejected', reason }
          : { status: 'fulfilled', value: `${item} is committed` },
      ),
    );
  },
);

test.each([
  ['the worker is told to stop', Object.assign(new Error('stop'), { name: 'AbortError' })],
  ['the database is away as the worker stops', Object.assign(new Error('away'), { code: 'ECONNREFUSED' })],
])('where %s a batch is not split', async (_, reason) => {
  const { ends, tries } = start([50], reason);
  expect(await ends).toEqual(numbers.map(() => ({ status: 'rejected', reason })));
  expect(tries).toHaveLength(1);
});
