import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf } from '@tocsin/kit';
import { findState } from './launcher/launch.js';
import { acquireLock } from './launcher/lock.js';
import { endStaleProcesses } from './launcher/stale-processes.js';
import { removeHome } from './postgres/home.js';

/** `npm run reset`: deletes the state of `npm start`. It fails while the stack is running. */
const paths = findState(process.env);
if (!existsSync(paths.root)) {
  console.log(`Nothing to remove: there is no ${paths.root}`);
  process.exit(0);
}
try {
  const lock = await acquireLock(paths.lock, 'being reset');
  await endStaleProcesses(paths.children);
  removeHome(paths.postgres);
  // The lock is removed last, so that a concurrent start does not find partly deleted state.
  const others = readdirSync(paths.root).filter((name) => name !== basename(paths.lock));
  for (const name of others) rmSync(join(paths.root, name), { recursive: true, force: true });
  lock.release();
  rmdirSync(paths.root);
  console.log(`Removed ${paths.root}`);
} catch (error) {
  console.error(messageOf(error));
  process.exit(1);
}
