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

/** Throws if a launcher with this state directory is running. Returns the function that releases the lock. */
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
    // The file was removed meanwhile, or a crash truncated it.
    return undefined;
  }
}

/** Without a start time from the system, the process id has to suffice. */
function isRunning(holder: LockContent): boolean {
  return holder.startedAt === '' ? isAlive(holder.pid) : isSameProcessAlive(holder);
}
