/** Counts the messages and bytes that a consumer has in flight. */
export interface InFlightBytes {
  add(bytes: number): void;
  remove(bytes: number): void;
  /** Number of messages in flight. */
  count(): number;
  /** Becomes true when more than `maxBytes` bytes are in flight, and false again at half of `maxBytes`. */
  isFull(): boolean;
  /** Resolves when no message is in flight. */
  drained(): Promise<void>;
}

export interface InFlightBytesOptions {
  maxBytes: number;
  /** Called when the result of `isFull` has changed. */
  onChange: (isFull: boolean) => void;
}

export function createInFlightBytes({ maxBytes, onChange }: InFlightBytesOptions): InFlightBytes {
  let count = 0;
  let totalBytes = 0;
  let isFull = false;
  let drainWaiters: (() => void)[] = [];

  const change = (bytes: number) => {
    totalBytes += bytes;
    const wasFull = isFull;
    isFull = totalBytes > (wasFull ? maxBytes / 2 : maxBytes);
    if (isFull !== wasFull) onChange(isFull);
  };
  return {
    add(bytes) {
      count += 1;
      change(bytes);
    },
    remove(bytes) {
      count -= 1;
      change(-bytes);
      if (count > 0) return;
      for (const resolve of drainWaiters) resolve();
      drainWaiters = [];
    },
    count: () => count,
    isFull: () => isFull,
    drained: () => (count === 0 ? Promise.resolve() : new Promise((resolve) => drainWaiters.push(resolve))),
  };
}
