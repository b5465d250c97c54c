import { closeSync, fstatSync, openSync, rmSync, statSync } from 'node:fs';
import { sleep } from './concurrency/timeout.js';

/** An exclusive lock. The kernel holds it for this process and releases it with the process, also after SIGKILL. */
export interface FileLock {
  /** Descriptor of the file, open for reading and appending. */
  fd: number;
  /** Removes the file and releases the lock. */
  release(): void;
}

/**
 * Locks `path`, which is created if missing. Returns undefined while another process, or this one, holds the lock.
 * @throws Error with the remedy on a system for which the native module has no binary, such as Alpine Linux
 */
export async function tryLockFile(path: string): Promise<FileLock | undefined> {
  const { tryLock } = await loadLocks();
  for (;;) {
    const fd = openSync(path, 'a+', 0o600);
    if (!tryLock(fd)) {
      closeSync(fd);
      return undefined;
    }
    if (isAt(path, fd)) return { fd, release: () => release(path, fd) };
    // The former holder removed the file after it was opened here.
    closeSync(fd);
  }
}

const retryMs = 50;

/** Runs `work` while this process holds the lock of `path`, and waits for it as long as necessary. */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  let lock = await tryLockFile(path);
  while (lock === undefined) {
    await sleep(retryMs);
    lock = await tryLockFile(path);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Loads the native module, which few programs need. */
async function loadLocks(): Promise<typeof import('fs-native-extensions')> {
  try {
    return await import('fs-native-extensions');
  } catch (cause) {
    const remedy = 'use a Linux with glibc instead of musl (Alpine), or sign in as a service account';
    throw new Error(`This system has no file locks (no binary of fs-native-extensions): ${remedy}.`, {
      cause,
    });
  }
}

function isAt(path: string, fd: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.ino === fstatSync(fd).ino;
}

/** The file is removed first: a process that locks it afterwards sees that it is no longer at its path. */
function release(path: string, fd: number): void {
  rmSync(path, { force: true });
  closeSync(fd);
}
