import type { Logger } from '@tocsin/kit';
import { createPatience } from './patience.js';

const failing = (code: string) => Object.assign(new Error(code), { code });

function start(handBackAfterMs?: number) {
  const told: string[] = [];
  const patience = createPatience({
    logger: { warn() {}, info() {} } as unknown as Logger,
    signal: new AbortController().signal,
    pause: async () => void told.push('pause'),
    resume: async () => void told.push('resume'),
    handBack: async () => void told.push('hand back'),
    ...(handBackAfterMs !== undefined && { handBackAfterMs }),
  });
  /** Work that fails so, and then ends. */
  const work = (codes: string[]) => async () => {
    const code = codes.shift();
    if (code !== undefined) throw failing(code);
    return 'done';
  };
  return { patience, told, work };
}

test('deadlocks right after an outage are tried again: what failed before and meanwhile is not counted with them', async () => {
  const { patience, told, work } = start();
  // As many conflicts as are tried again in a row.
  const conflicts = Array.from({ length: 10 }, () => '40P01');
  const codes = [...conflicts, 'ECONNREFUSED', ...conflicts];
  expect(await patience.untilAnswered(work(codes))).toBe('done');
  expect(told).toEqual(['pause', 'resume']);
});

test('a deadlock that comes again and again is told', async () => {
  const { patience, work } = start();
  const codes = Array.from({ length: 11 }, () => '40P01');
  await expect(patience.untilAnswered(work(codes))).rejects.toThrow('40P01');
});

test.each([
  ['that stays away', 'ECONNREFUSED', ['pause', 'hand back', 'resume']],
  ['that takes too long', '57014', ['pause', 'resume']],
])(
  'what waits for a database %s is told to be handed back once, or not at all',
  async (_, code, expected) => {
    const { patience, told, work } = start(100);
    const manyTimes = () => Array.from({ length: 6 }, () => code);
    await Promise.all([patience.untilAnswered(work(manyTimes())), patience.untilAnswered(work(manyTimes()))]);
    expect(told).toEqual(expected);
  },
);

test('what waits is handed back too where the database was slow before it went away', async () => {
  const { patience, told, work } = start(100);
  await patience.untilAnswered(work(['57014', ...Array.from({ length: 6 }, () => 'ECONNREFUSED')]));
  expect(told).toEqual(['pause', 'hand back', 'resume']);
});

test('nothing is handed back where the database is back soon', async () => {
  const { patience, told, work } = start(1_000);
  await patience.untilAnswered(work(['ECONNREFUSED']));
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(told).toEqual(['pause', 'resume']);
});
