import { createLogOutput } from './log-output.js';

/** A descriptor that takes what fits into `room`, and then fails as `fails` says. */
function descriptor() {
  const state = { text: '', room: Number.POSITIVE_INFINITY, fails: 'ENOSPC' };
  const output = createLogOutput({
    write(bytes) {
      const taken = bytes.subarray(0, state.room);
      if (taken.length === 0) throw Object.assign(new Error(state.fails), { code: state.fails });
      state.text += Buffer.from(taken).toString();
      state.room -= taken.length;
      return taken.length;
    },
    describeDropped: (lines) => `dropped ${lines}\n`,
  });
  const write = (...lines: string[]) => {
    for (const line of lines) output.write(`${line}\n`);
    output.flushSync();
  };
  return { state, output, write };
}

test.each(['ENOSPC', 'EDQUOT', 'EIO', 'EPIPE'])(
  'lines that fail with %s are dropped, and counted once writing works again',
  (fails) => {
    const { state, write } = descriptor();
    write('before');
    Object.assign(state, { room: 0, fails });
    write('lost', 'lost too');
    write('lost as well');
    state.room = Number.POSITIVE_INFINITY;
    write('after');
    write('later');
    expect(state.text).toBe('before\nafter\ndropped 3\nlater\n');
  },
);

test('a line that was cut in its middle does not run into the next one', () => {
  const { state, write } = descriptor();
  state.room = 4;
  write('in half', 'lost');
  state.room = Number.POSITIVE_INFINITY;
  write('whole');
  expect(state.text).toBe('in h\nwhole\ndropped 2\n');
});

test('what a full pipe has no room for waits, in order, and at the end for a second at the most', () => {
  const { state, output, write } = descriptor();
  Object.assign(state, { room: 4, fails: 'EAGAIN' });
  write('in two parts');
  expect(state.text).toBe('in t');
  state.room = Number.POSITIVE_INFINITY;
  output.write('next\n');
  output.flushSync();
  expect(state.text).toBe('in two parts\nnext\n');
});

test('what waits for a pipe without room is bounded', () => {
  const { state, output } = descriptor();
  Object.assign(state, { room: 0, fails: 'EAGAIN' });
  const line = `${'x'.repeat(1_023)}\n`;
  for (let count = 0; count < 10_000; count += 1) output.write(line);
  state.room = Number.POSITIVE_INFINITY;
  output.flushSync();
  const dropped = Number(/dropped (\d+)/.exec(state.text)?.[1]);
  const kept = state.text.split('\n').filter((text) => text.startsWith('x')).length;
  expect(dropped).toBeGreaterThan(0);
  expect(kept).toBeLessThan(3_000);
  expect(kept + dropped).toBeGreaterThanOrEqual(10_000);
});
