import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

test.each([
  ['npm run bench', 'bench/bench-main.js', '--only throughput'],
  ['npm run test:faults', 'faults/faults-main.js', '--sabotage NAME'],
  ['npm run test:isolation', 'isolation/isolation-main.js', '--only NAME'],
])('%s -- --help prints its usage, starts nothing and is a success', (command, file, option) => {
  const main = fileURLToPath(new URL(`../dist/${file}`, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, '--help'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(new RegExp(`^${command} -- `));
  expect(stdout).toContain(option);
});
