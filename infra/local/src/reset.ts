import { existsSync, rmSync } from 'node:fs';
import { findState } from './launcher/launch.js';
import { acquireLock } from './launcher/lock.js';
import { endStaleProcesses } from './launcher/stale-processes.js';
import { removeHome } from './postgres/home.js';

/** `npm run reset`: deletes the state of `npm start`. Refuses while the stack is running. */
const paths = findState(process.env);
if (!existsSync(paths.root)) {
  console.log(`Nothing to remove: there is no ${paths.root}`);
  process.exit(0);
}
try {
  acquireLock(paths.lock, 'being reset');
  await endStaleProcesses(paths.children);
  removeHome(paths.postgres);
  rmSync(paths.root, { recursive: true, force: true });
  console.log(`Removed ${paths.root}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
