import { closeSync, fstatSync, openSync, rmSync, statSync } from 'node:fs';
import { sleep } from './concurrency/timeout.js';

/**
 * An exclusive lock that this process holds on a file. The kernel releases it when the process ends, even after
 * SIGKILL.
 */
export interface FileLock {
  /** Descriptor of the file, open for reading and appending. */
  fd: number;
  /** Removes the file and releases the lock. */
  release(): void;
}

/**
 * Locks `path`, which is created if it is missing. Returns undefined while any process, including this one, holds the
 * lock.
 * @throws Error that names a remedy if the native module has no binary for this system, such as Alpine Linux
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
    // The previous holder of the lock removed the file after this process had opened it. A lock of the removed file
    // excludes no other process, so the loop opens and locks the file that is now at the path.
    closeSync(fd);
  }
}

const retryMs = 50;

/** Waits for the lock of `path` without a time limit, and runs `work` while this process holds the lock. */
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

/** Loads the native module on first use, because few programs need it. */
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

/**
 * Removes the file, then releases the lock. A waiting process that opened the file before its removal can still lock
 * the removed file. Its call of `isAt` then returns false, and the process opens the file at the path again.
 */
function release(path: string, fd: number): void {
  rmSync(path, { force: true });
  closeSync(fd);
}
