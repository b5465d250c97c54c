import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

test.each([
  [['--only', 'typo,random'], 'No fault has a name that contains "typo"'],
  [['--only', ''], 'No fault has a name that contains ""'],
  [['--alerts', '10k'], '--alerts takes a number, not "10k"'],
  [['--seed', 'x'], '--seed takes a number, not "x"'],
])('%j is rejected before any fault is injected', (args, sentence) => {
  const main = fileURLToPath(new URL('../../dist/faults/faults-main.js', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain(sentence);
});
