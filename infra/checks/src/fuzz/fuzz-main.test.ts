import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../dist/fuzz/fuzz-main.js', import.meta.url));

let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'tocsin-fuzz-'));
});
afterEach(() => rmSync(state, { recursive: true }));

const run = (...args: string[]) =>
  spawnSync(process.execPath, [main, ...args], {
    encoding: 'utf8',
    env: { TOCSIN_STATE: state, PATH: join(state, 'no-programs') },
  });

test('npm run test:fuzz -- --help prints the usage', () => {
  const { status, stdout } = run('--help');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^npm run test:fuzz -- /);
});

test('without a running stack, npm run test:fuzz fails and explains how to start one', () => {
  const { status, stderr } = run();
  expect(status).toBe(1);
  expect(stderr).toContain('no stack is running');
  expect(stderr).toContain('npm start');
});

test('npm run test:fuzz fails without Python and names the required Python version', () => {
  writeFileSync(join(state, 'stack.json'), '{}');
  const { status, stderr } = run();
  expect(status).toBe(1);
  expect(stderr).toBe(
    'Python 3.10 or later is missing: there is no python3 (Debian: apt-get install python3-venv).\n',
  );
});

test.each([[['--examples', 'many']], [['--seed', '-1']], [['--unknown']]])(
  'npm run test:fuzz rejects the arguments %j',
  (args) => {
    const { status, stderr } = run(...args);
    expect([status, stderr]).toEqual([1, expect.stringContaining(args[0]!)]);
  },
);
