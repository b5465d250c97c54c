import fs from 'node:fs';
import { createLogOutput } from './log-output.js';

const realWriteSync = fs.writeSync;
const unlimited = Number.POSITIVE_INFINITY;

/**
 * Replaces standard output. The replacement accepts `freeBytes` bytes and then fails with the error code `failsWith`.
 */
function setUp() {
  const state = { text: '', freeBytes: unlimited, failsWith: 'ENOSPC' };
  const writeSync = (_fd: number, data: string | Uint8Array) => {
    const accepted = Buffer.from(data as string).subarray(0, state.freeBytes);
    if (accepted.length === 0 && data.length > 0)
      throw Object.assign(new Error(state.failsWith), { code: state.failsWith });
    state.text += accepted.toString();
    state.freeBytes -= accepted.length;
    return accepted.length;
  };
  fs.writeSync = writeSync as typeof fs.writeSync;
  const output = createLogOutput({ describeDropped: (lines) => `dropped ${lines}\n` });
  finish = () => {
    state.freeBytes = unlimited;
    output.flushSync();
  };
  const write = (...lines: string[]) => {
    for (const line of lines) output.write(`${line}\n`);
    output.flushSync();
  };
  return { state, output, write };
}

let finish = () => {};
afterEach(() => {
  finish();
  fs.writeSync = realWriteSync;
});

const failures = ['ENOSPC', 'EDQUOT', 'EIO', 'EPIPE', 'EAGAIN'];
const line = `${'x'.repeat(1_023)}\n`;

test.each(failures)(
  'log lines whose write fails with %s are written when writes succeed again',
  (failsWith) => {
    const { state, write } = setUp();
    write('before');
    Object.assign(state, { freeBytes: 0, failsWith });
    write('first', 'second');
    write('third');
    state.freeBytes = unlimited;
    write('after');
    expect(state.text).toBe('before\nfirst\nsecond\nthird\nafter\n');
  },
);

test.each(failures)(
  'while writes fail with %s, at most 1 MiB of log lines wait, and dropped lines are counted',
  (failsWith) => {
    const { state, output } = setUp();
    Object.assign(state, { freeBytes: 0, failsWith });
    for (let count = 0; count < 10_000; count += 1) output.write(line);
    state.freeBytes = unlimited;
    output.flushSync();
    const kept = state.text.split('\n').filter((text) => text.startsWith('x')).length;
    expect(kept).toBe(1_024);
    expect(state.text.endsWith(`\ndropped ${10_000 - kept}\n`)).toBe(true);
  },
);

test('the number of dropped log lines is reported even if no further line follows', async () => {
  const { state, output } = setUp();
  state.freeBytes = 0;
  for (let count = 0; count < 2_000; count += 1) output.write(line);
  state.freeBytes = unlimited;
  const endMs = performance.now() + 10_000;
  while (!state.text.includes('dropped 976\n') && performance.now() < endMs)
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect(state.text).toContain('dropped 976\n');
});

test('a log line is written completely if standard output accepts it in two parts', () => {
  const { state, write } = setUp();
  state.freeBytes = 4;
  write('in two parts');
  expect(state.text).toBe('in t');
  state.freeBytes = unlimited;
  write('next');
  expect(state.text).toBe('in two parts\nnext\n');
});

test.each(failures)('a flush of the log ends in less than 3 s while writes fail with %s', (failsWith) => {
  const { state, write } = setUp();
  Object.assign(state, { freeBytes: 0, failsWith });
  const startedAtMs = performance.now();
  write('line');
  expect(performance.now() - startedAtMs).toBeLessThan(3_000);
});
