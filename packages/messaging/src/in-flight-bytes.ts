/**
 * Counts the bytes of a consumer's unacknowledged messages, and the messages that its handler is processing. A message
 * that waits for a retry is not processed, but its bytes are still in memory.
 */
export interface InFlightBytes {
  add(bytes: number): void;
  remove(bytes: number): void;
  /** Must be called when a message starts to wait for a retry, and `endWait` at the end of this wait. */
  startWait(): void;
  endWait(): void;
  /** Number of messages that are processed. */
  count(): number;
  /** Number of unacknowledged messages. */
  unsettled(): number;
  /** Becomes true when more than `maxBytes` bytes are in flight, and false again at half of `maxBytes`. */
  isFull(): boolean;
  /** Resolves when no message is processed. */
  drained(): Promise<void>;
}

export interface InFlightBytesOptions {
  maxBytes: number;
  /** Called when the result of `isFull` has changed. */
  onChange: (isFull: boolean) => void;
}

export function createInFlightBytes({ maxBytes, onChange }: InFlightBytesOptions): InFlightBytes {
  let count = 0;
  let unsettled = 0;
  let totalBytes = 0;
  let isFull = false;
  let drainWaiters: (() => void)[] = [];

  const change = (bytes: number) => {
    totalBytes += bytes;
    const wasFull = isFull;
    isFull = totalBytes > (wasFull ? maxBytes / 2 : maxBytes);
    if (isFull !== wasFull) onChange(isFull);
  };
  const endProcessing = () => {
    count -= 1;
    if (count > 0) return;
    for (const resolve of drainWaiters) resolve();
    drainWaiters = [];
  };
  return {
    add(bytes) {
      count += 1;
      unsettled += 1;
      change(bytes);
    },
    remove(bytes) {
      unsettled -= 1;
      change(-bytes);
      endProcessing();
    },
    startWait: endProcessing,
    endWait() {
      count += 1;
    },
    count: () => count,
    unsettled: () => unsettled,
    isFull: () => isFull,
    drained: () => (count === 0 ? Promise.resolve() : new Promise((resolve) => drainWaiters.push(resolve))),
  };
}
