import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareNodeFiles } from './node-files.js';

test('an Erlang cookie that an interrupted start left empty is written again', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-node-'));
  const cookie = join(directory, '.erlang.cookie');
  const prepare = () => {
    const installed = { server: 'rabbitmq-server', epmd: 'epmd', path: '/usr/bin' };
    prepareNodeFiles(directory, { amqp: 1, epmd: 2, distribution: 3 }, { installed });
    return readFileSync(cookie, 'utf8');
  };
  writeFileSync(cookie, '', { mode: 0o400 });
  const first = prepare();
  expect(first).toMatch(/^[0-9a-f]{36}$/);
  expect(prepare()).toBe(first);
  // Erlang rejects a cookie that others can read.
  expect(statSync(cookie).mode & 0o777).toBe(0o600);
  rmSync(directory, { recursive: true });
});
