import type { Logger } from '@tocsin/kit';
import type { WriteFailure } from '../database-retry.js';
import { createWriteCheck } from './write-check.js';

function start() {
  const clock = { ms: 0 };
  const lines: unknown[] = [];
  const failing: { lease?: WriteFailure; batch?: WriteFailure } = {};
  let tick = () => {};
  const log = (fields: object, event: string) => lines.push([event, fields]);
  const { check, isWritable } = createWriteCheck({
    failures: [() => failing.lease, () => failing.batch],
    shutdown: {
      addInterval(task) {
        tick = task;
      },
    },
    logger: { info: log, warn: log } as unknown as Logger,
    now: () => clock.ms,
  });
  const detail = () =>
    check(new AbortController().signal).then(
      () => 'ready',
      (error: { detail: string }) => error.detail,
    );
  return { clock, lines, failing, tick: () => tick(), detail, isWritable };
}

const withCode = (code: string) => Object.assign(new Error('server text'), { code });

test.each([
  ['25006', 'The database is read-only.'],
  ['53100', 'The disk of the database is full.'],
  ['42501', 'The database user has no permission to write.'],
  ['ECONNREFUSED', 'The database is unavailable.'],
  ['23514', 'The database rejects the worker’s writes.'],
])('writes that fail with %s for ten seconds are reported as: %s', async (code, sentence) => {
  const { clock, failing, detail, isWritable } = start();
  failing.lease = { sinceMs: 1_000, error: withCode(code) };
  clock.ms = 10_999;
  expect([await detail(), isWritable()]).toEqual(['ready', true]);
  clock.ms = 11_000;
  expect([await detail(), isWritable()]).toEqual([sentence, false]);
});

test('a full disk is reported when only batches fail and renewals of the lease succeed', async () => {
  const { clock, failing, detail } = start();
  failing.batch = { sinceMs: 0, error: withCode('53100') };
  clock.ms = 10_000;
  expect(await detail()).toBe('The disk of the database is full.');
  failing.lease = { sinceMs: 9_000, error: withCode('ECONNREFUSED') };
  expect(await detail()).toBe('The disk of the database is full.');
});

test('each change between a writable and an unwritable database logs one line', () => {
  const { clock, lines, failing, tick } = start();
  tick();
  failing.lease = { sinceMs: 0, error: withCode('25006') };
  for (clock.ms = 9_000; clock.ms < 60_000; clock.ms += 1_000) tick();
  delete failing.lease;
  tick();
  tick();
  expect(lines).toEqual([
    ['database.not_writable', { reason: 'The database is read-only.' }],
    ['database.writable', {}],
  ]);
});
