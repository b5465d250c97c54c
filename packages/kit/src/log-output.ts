import sonicBoom from 'sonic-boom';

export interface LogOutput {
  write(line: string): void;
  /** Writes all waiting lines. While standard output is a full pipe, the call blocks for at most one second. */
  flushSync(): void;
}

export interface LogOutputOptions {
  /** Returns a log line with the number of dropped lines. The line is written when writes succeed again. */
  describeDropped(lines: number): string;
}

const standardOutput = 1;
/** Number of bytes that are gathered before a write, because a write for each line takes longer than formatting it. */
const minWriteBytes = 4_096;
const maxDelayMs = 100;
const maxWaitingBytes = 1_048_576;
const maxFlushMs = 1_000;

/**
 * Writes to standard output with sonic-boom, the default writer of pino. A failed write never ends or blocks the
 * service. While the disk is full, or the reader of the pipe has stopped or ended, up to 1 MiB of lines wait and are
 * written later. Further lines are dropped and counted.
 */
export function createLogOutput({ describeDropped }: LogOutputOptions): LogOutput {
  // Reading `process.stdout` makes a pipe non-blocking. A write to a full pipe then fails with EAGAIN instead of
  // blocking the process.
  void process.stdout;
  const stream = new sonicBoom.SonicBoom({
    fd: standardOutput,
    sync: true,
    // With the content mode `utf8`, sonic-boom would copy all waiting lines for each new line.
    contentMode: 'buffer',
    minLength: minWriteBytes,
    maxLength: maxWaitingBytes,
    // By default, sonic-boom blocks the process while it retries a write to a full pipe. Without the retry, the lines
    // stay in the buffer until the next write.
    retryEAGAIN: () => false,
  });
  let flushTimer: NodeJS.Timeout | undefined;
  // Starts a timer that runs only while lines wait to be written. The interval of sonic-boom's `periodicFlush` is not
  // used, because it would wake an idle service ten times a second.
  const flushSoon = () => {
    if (flushTimer !== undefined) return;
    flushTimer = setTimeout(() => {
      flushTimer = undefined;
      if (!flushOnce().isDone) flushSoon();
    }, maxDelayMs).unref();
  };
  const write = (line: string) => {
    // In buffer mode, a write accepts a buffer, but the types of sonic-boom do not declare this.
    stream.write(Buffer.from(line) as unknown as string);
    flushSoon();
  };
  let dropped = 0;
  let linesInDrop = 1;
  const reportDropped = () => {
    if (dropped === 0) return;
    // sonic-boom can also drop the line that reports the dropped lines. This line then counts as all the lines that it
    // reports.
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
  /** Writes waiting lines once. A write that succeeds with 0 bytes means that no lines are waiting. */
  const flushOnce = (): { failure: string | undefined; isDone: boolean } => {
    failure = undefined;
    stream.flush();
    return { failure, isDone: failure === undefined && written === 0 };
  };
  /**
   * Writes all waiting lines synchronously. Used only after a fatal error and at the exit of the process. The
   * `flushSync` of sonic-boom is not used, because it never returns after an error such as ENOSPC or EPIPE.
   */
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

function blockFor10Ms(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
}
