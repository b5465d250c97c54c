import sonicBoom from 'sonic-boom';

export interface LogOutput {
  write(line: string): void;
  /** Writes all waiting lines. Waits one second at most while a pipe is full. */
  flushSync(): void;
}

export interface LogOutputOptions {
  /** Makes the line that reports how many lines were dropped. It is written once writing works again. */
  describeDropped(lines: number): string;
}

const standardOutput = 1;
/** Lines are gathered to this size, because a write for each line would cost more than making the line. */
const minWriteBytes = 4_096;
const maxDelayMs = 100;
const maxWaitingBytes = 1_048_576;
const maxFlushMs = 1_000;

/**
 * Standard output, written by sonic-boom as pino does by default. A failed write never ends or blocks the service: with
 * a full disk, or a reader that has stopped or gone, up to 1 MiB of lines wait and are written later. Further lines are
 * dropped and counted.
 */
export function createLogOutput({ describeDropped }: LogOutputOptions): LogOutput {
  // This getter makes a pipe non-blocking. A write to a full pipe then fails with EAGAIN instead of blocking the process.
  void process.stdout;
  const stream = new sonicBoom.SonicBoom({
    fd: standardOutput,
    sync: true,
    // In its text mode, each line copies the lines that wait.
    contentMode: 'buffer',
    minLength: minWriteBytes,
    maxLength: maxWaitingBytes,
    periodicFlush: maxDelayMs,
    // The lines wait for the next write. A retry inside sonic-boom would block the process.
    retryEAGAIN: () => false,
  });
  // The type of sonic-boom does not know that its buffer mode takes buffers.
  const write = (line: string) => void stream.write(Buffer.from(line) as unknown as string);
  let dropped = 0;
  let linesInDrop = 1;
  const reportDropped = () => {
    if (dropped === 0) return;
    // The report itself can be dropped. It then counts as all lines that it reports.
    linesInDrop = dropped;
    dropped = 0;
    write(describeDropped(linesInDrop));
    linesInDrop = 1;
  };
  stream.on('drop', () => {
    dropped += linesInDrop;
  });
  stream.on('drain', reportDropped);

  let written = 0;
  let failure: string | undefined;
  stream.on('write', (bytes: number) => {
    written = bytes;
  });
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    failure = code;
  });
  /** Writes once. A write of 0 bytes means that no line waits. */
  const flushOnce = (): { failure: string | undefined; isDone: boolean } => {
    failure = undefined;
    stream.flush();
    return { failure, isDone: failure === undefined && written === 0 };
  };
  /** Replaces the flushSync of sonic-boom, which never returns from an error such as ENOSPC or EPIPE. */
  const flushSync = () => {
    const endMs = performance.now() + maxFlushMs;
    while (performance.now() < endMs) {
      const { failure, isDone } = flushOnce();
      if (isDone && dropped === 0) return;
      if (isDone) reportDropped();
      if (failure === 'EAGAIN') blockFor10Ms();
      else if (failure !== undefined) return;
    }
  };
  return { write, flushSync };
}

/** Writes all waiting lines and blocks the process meanwhile. Used only for a fatal error and at the exit. */
function blockFor10Ms(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
}
