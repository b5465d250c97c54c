import { createPatientBatcher } from './patient-batcher.js';

const failing = (code: string) => Object.assign(new Error(code), { code });

function start(commit: (items: number[]) => void, goesOn: () => boolean = () => true) {
  const mends: number[] = [];
  const batcher = createPatientBatcher<number, number>({
    patience: {
      untilAnswered: (work) => work(),
      rest: () => new Promise((resolve) => setTimeout(() => resolve(goesOn()), 1)),
    },
    commit: async (items) => {
      commit(items);
      return items.map((item) => item * 2);
    },
    mended: (item) => {
      mends.push(item);
      return -item;
    },
    maxSize: 200,
    lanes: 1,
  });
  return { batcher, mends };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test('one item that cannot be committed yet keeps neither its batch nor the next ones waiting', async () => {
  let isLocked = true;
  const { batcher } = start((items) => {
    if (isLocked && items.includes(77)) throw failing('55P03');
  });
  const all = upTo(200).map((item) => batcher.add(item));
  const others = all.filter((_, index) => index !== 76);
  expect(await Promise.all(others)).toEqual(
    upTo(200)
      .filter((item) => item !== 77)
      .map((item) => item * 2),
  );
  expect(await batcher.add(300)).toBe(600);
  isLocked = false;
  expect(await all[76]).toBe(154);
});

test('an item with a value that is refused is mended, it alone, and any other fault changes nothing', async () => {
  let faults = 3;
  const { batcher, mends } = start((items) => {
    if (faults > 0) {
      faults -= 1;
      throw failing('XX000');
    }
    if (items.includes(5)) throw failing('22P05');
  });
  const results = await Promise.all(upTo(20).map((item) => batcher.add(item)));
  expect(results).toEqual(upTo(20).map((item) => (item === 5 ? -10 : item * 2)));
  expect(mends).toEqual([5]);
});

test('a worker that is told to stop commits what can be committed, and gives up the rest', async () => {
  const { batcher } = start(
    (items) => {
      if (items.includes(3)) throw failing('57014');
    },
    () => false,
  );
  const ended = await Promise.allSettled(upTo(20).map((item) => batcher.add(item)));
  const rejected = ended.flatMap(({ status }, index) => (status === 'rejected' ? [index + 1] : []));
  expect(rejected).toEqual([3]);
});

test.each([
  ['is away', failing('ECONNREFUSED')],
  ['is waited for', Object.assign(new Error('aborted'), { name: 'AbortError' })],
])('while the database %s and the worker is told to stop, a batch is given up whole', async (_, error) => {
  let commits = 0;
  const { batcher } = start(
    () => {
      commits += 1;
      throw error;
    },
    () => false,
  );
  const ended = await Promise.allSettled(upTo(20).map((item) => batcher.add(item)));
  expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['rejected']));
  expect(commits).toBe(1);
});
