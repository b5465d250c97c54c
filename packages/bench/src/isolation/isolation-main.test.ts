import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

test.each(['typo', 'storm,typo', ''])('--only "%s" measures nothing and is refused', (only) => {
  const main = fileURLToPath(new URL('../../dist/isolation/isolation-main.js', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, '--only', only], {
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain('neighbours, storm, backlog, guesses');
});
