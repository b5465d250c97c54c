/** What has been taken and is not settled, and whether that is so much that no more should be taken. */
export interface Hand {
  add(bytes: number): void;
  release(bytes: number): void;
  /** Messages in it. */
  count(): number;
  isFull(): boolean;
  /** Resolves when it is empty. */
  drained(): Promise<void>;
}

export interface HandOptions {
  /** With more than this it is full, until it holds no more than half. */
  maxBytes: number;
  /** It has come to be full, or is no longer. */
  onChange: () => void;
}

export function createHand({ maxBytes, onChange }: HandOptions): Hand {
  let count = 0;
  let bytesInHand = 0;
  let isFull = false;
  let idle: (() => void)[] = [];

  const weigh = (bytes: number) => {
    bytesInHand += bytes;
    const wasFull = isFull;
    isFull = bytesInHand > (wasFull ? maxBytes / 2 : maxBytes);
    if (isFull !== wasFull) onChange();
  };
  return {
    add(bytes) {
      count += 1;
      weigh(bytes);
    },
    release(bytes) {
      count -= 1;
      weigh(-bytes);
      if (count > 0) return;
      for (const wake of idle) wake();
      idle = [];
    },
    count: () => count,
    isFull: () => isFull,
    drained: () => (count === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  };
}
