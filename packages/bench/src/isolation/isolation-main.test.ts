import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

test.each([
  [['--only', 'typo'], 'neighbours, storm, backlog, guessing'],
  [['--only', 'storm,typo'], 'neighbours, storm, backlog, guessing'],
  [['--only', ''], 'neighbours, storm, backlog, guessing'],
  [['--repeats', 'x'], '--repeats takes a number, not "x"'],
])('%j is rejected before any measurement', (args, sentence) => {
  const main = fileURLToPath(new URL('../../dist/isolation/isolation-main.js', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain(sentence);
});
