import type { Logger } from '@tocsin/kit';
import { createPatience } from './patience.js';

const failing = (code: string) => Object.assign(new Error(code), { code });

function start() {
  const told: string[] = [];
  const patience = createPatience({
    logger: { warn() {}, info() {} } as unknown as Logger,
    signal: new AbortController().signal,
    pause: async () => void told.push('pause'),
    resume: async () => void told.push('resume'),
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
