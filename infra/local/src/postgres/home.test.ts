import { chmodSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareHome, removeHome } from './home.js';

const nobody = { uid: 65_534, gid: 65_534 };
// Only root can start a process as another user.
const testAsRoot = process.getuid?.() === 0 ? test : test.skip;

testAsRoot('a link that a moved checkout contains is replaced', () => {
  const checkout = mkdtempSync(join(tmpdir(), 'tocsin-home-'));
  chmodSync(checkout, 0o700);
  const wanted = join(checkout, 'postgres');
  symlinkSync('/var/lib/tocsin/of-the-old-path', wanted);
  const home = prepareHome(wanted, nobody);
  expect(readlinkSync(wanted)).toBe(home);
  expect(prepareHome(wanted, nobody)).toBe(home);
  removeHome(wanted);
  rmSync(checkout, { recursive: true });
});
