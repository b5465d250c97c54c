import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const bench = 'bench/bench-main.js';
const faults = 'faults/faults-main.js';
const isolation = 'isolation/isolation-main.js';

function run(main: string, args: string[]) {
  const file = fileURLToPath(new URL(`../dist/${main}`, import.meta.url));
  return spawnSync(process.execPath, [file, ...args], { encoding: 'utf8' });
}

test.each([
  ['npm run bench', bench, '--only NAME'],
  ['npm run test:faults', faults, '--mutation NAME'],
  ['npm run test:isolation', isolation, '--only NAME'],
])('%s -- --help prints the usage and exits with status 0', (command, main, option) => {
  const { status, stdout, stderr } = run(main, ['--help']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(new RegExp(`^${command} -- `));
  expect(stdout).toContain(option);
});

test.each([
  [faults, ['--only', 'typo,random'], 'No fault has a name that contains "typo"'],
  [faults, ['--only', ''], 'No fault has a name that contains ""'],
  [faults, ['--alerts', '10k'], '--alerts takes a number, not "10k"'],
  [faults, ['--seed', 'x'], '--seed takes a number, not "x"'],
  [isolation, ['--only', 'typo'], 'neighbours, storm, backlog, flood, webhooks, guessing'],
  [isolation, ['--only', 'storm,typo'], 'neighbours, storm, backlog, flood, webhooks, guessing'],
  [isolation, ['--only', ''], 'neighbours, storm, backlog, flood, webhooks, guessing'],
  [isolation, ['--repeats', 'x'], '--repeats takes a number, not "x"'],
])('%s rejects the arguments %j with a reason and prints nothing else', (main, args, sentence) => {
  const { status, stdout, stderr } = run(main, args);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain(sentence);
});
