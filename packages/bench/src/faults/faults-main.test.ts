import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

test.each([
  [['--only', 'typo,random'], 'No fault is called anything like "typo"'],
  [['--only', ''], 'No fault is called anything like ""'],
  [['--alerts', '10k'], '--alerts takes a number, not "10k"'],
  [['--seed', 'x'], '--seed takes a number, not "x"'],
])('%j inflicts nothing and is refused', (args, sentence) => {
  const main = fileURLToPath(new URL('../../dist/faults/faults-main.js', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain(sentence);
});
