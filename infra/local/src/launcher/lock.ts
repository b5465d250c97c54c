import { ftruncateSync, readFileSync, writeSync } from 'node:fs';
import { type FileLock, tryLockFile } from '@tocsin/kit';

/**
 * Content of the lock file. If a second launcher finds the state directory locked, its error message contains these
 * values.
 */
interface Holder {
  pid: number;
  apiUrl: string;
}

/** Locks the state directory for this process. Throws if another launcher or a reset has locked it. */
export async function acquireLock(file: string, apiUrl: string): Promise<FileLock> {
  const lock = await tryLockFile(file);
  if (lock === undefined) throw new Error(describe(readHolder(file)));
  const holder: Holder = { pid: process.pid, apiUrl };
  ftruncateSync(lock.fd);
  writeSync(lock.fd, JSON.stringify(holder));
  return lock;
}

/** Returns undefined if the owner of the lock has not written the content of the file yet. */
function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

function describe(holder: Holder | undefined): string {
  const which = holder === undefined ? '' : `: ${holder.apiUrl} (process ${holder.pid})`;
  return `Tocsin is running already${which}. Stop that one first.`;
}
