import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  identifyProcess,
  isAlive,
  isSameProcessAlive,
  type ProcessIdentity,
} from '../processes/process-identity.js';

interface LockContent extends ProcessIdentity {
  apiUrl: string;
}

/** Throws when a launcher with this state directory is running already, telling where. Gives back the release. */
export function acquireLock(file: string, apiUrl: string): () => void {
  const content: LockContent = { ...identifyProcess(process.pid), apiUrl };
  for (;;) {
    try {
      writeFileSync(file, JSON.stringify(content), { flag: 'wx', mode: 0o600 });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = readLock(file);
    if (holder !== undefined && isRunning(holder)) {
      throw new Error(
        `Tocsin is running already: ${holder.apiUrl} (process ${holder.pid}). Stop that one first.`,
      );
    }
    rmSync(file, { force: true });
  }
}

function readLock(file: string): LockContent | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LockContent;
  } catch {
    // Gone meanwhile, or cut off by a crash.
    return undefined;
  }
}

/** Where the system does not tell when a process started, its id must do. */
function isRunning(holder: LockContent): boolean {
  return holder.startedAt === '' ? isAlive(holder.pid) : isSameProcessAlive(holder);
}
