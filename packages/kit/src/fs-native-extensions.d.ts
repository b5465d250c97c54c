declare module 'fs-native-extensions' {
  /** Requests an exclusive lock of an open file. False: another descriptor holds it. */
  export function tryLock(fd: number): boolean;
}
