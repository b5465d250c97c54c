import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

test.each([
  ['npm run bench', 'bench/bench-main.js', '--only NAME'],
  ['npm run test:faults', 'faults/faults-main.js', '--mutation NAME'],
  ['npm run test:isolation', 'isolation/isolation-main.js', '--only NAME'],
])('%s -- --help prints the usage and exits with status 0', (command, file, option) => {
  const main = fileURLToPath(new URL(`../dist/${file}`, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, '--help'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(new RegExp(`^${command} -- `));
  expect(stdout).toContain(option);
});
