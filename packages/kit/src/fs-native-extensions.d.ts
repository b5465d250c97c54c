declare module 'fs-native-extensions' {
  /** Requests an exclusive lock of an open file. Returns false if another descriptor holds the lock. */
  export function tryLock(fd: number): boolean;
}
