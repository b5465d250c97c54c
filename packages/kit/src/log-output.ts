import { writeSync } from 'node:fs';

export interface LogOutput {
  write(line: string): void;
  /** Writes all that waits. A reader that stands still is waited for a second. */
  flushSync(): void;
}

export interface LogOutputOptions {
  /** Writes what it can and gives how many bytes that were, or throws, as `writeSync` of node:fs does. */
  write?: (bytes: Uint8Array) => number;
  /** The line that tells, once writing works again, how many lines were dropped. */
  describeDropped(lines: number): string;
}

const maxBufferedLength = 4_096;
const maxBufferedMs = 100;
/** What may wait behind lines that a pipe has no room for. */
const maxWaitingLength = 1_048_576;
const maxPatienceMs = 1_000;
const newline = 10;

/**
 * Standard output, as lines are written to it. A write for each line costs more than the line: it waits for others,
 * 100 ms at most.
 *
 * No failure to write leaves here. A service is there for its callers before it is there for its log: with a full disk
 * under its standard output, or with nobody who reads any more, it drops lines, counts them, and goes on.
 */
export function createLogOutput({
  write = writeToStandardOutput,
  describeDropped,
}: LogOutputOptions): LogOutput {
  let waiting = '';
  /** What was taken from `waiting`, as far as it is not out yet. */
  let unwritten: Uint8Array = new Uint8Array();
  let lastByte = newline;
  let dropped = 0;

  const take = () => {
    // Half a line that was cut by a failure must not run into the next one.
    unwritten = Buffer.from(lastByte === newline ? waiting : `\n${waiting}`);
    waiting = '';
  };
  const writeOut = () => {
    while (unwritten.length > 0) {
      const written = write(unwritten);
      lastByte = unwritten[written - 1] ?? lastByte;
      unwritten = unwritten.subarray(written);
    }
    if (dropped === 0) return;
    waiting = describeDropped(dropped) + waiting;
    dropped = 0;
  };
  const drop = () => {
    for (const byte of unwritten) if (byte === newline) dropped += 1;
    unwritten = new Uint8Array();
  };
  const flush = () => {
    if (unwritten.length === 0 && waiting !== '') take();
    if (unwritten.length === 0) return;
    try {
      writeOut();
    } catch (error) {
      if (!hasNoRoomYet(error) || waiting.length >= maxWaitingLength) drop();
    }
  };

  setInterval(flush, maxBufferedMs).unref();
  return {
    write(line) {
      waiting += line;
      if (waiting.length >= maxBufferedLength) flush();
    },
    flushSync() {
      const endMs = performance.now() + maxPatienceMs;
      flush();
      while ((unwritten.length > 0 || waiting !== '') && performance.now() < endMs) {
        if (unwritten.length > 0) pause();
        flush();
      }
    },
  };
}

function writeToStandardOutput(bytes: Uint8Array): number {
  return writeSync(1, bytes);
}

/** A pipe that does not block, and is full. */
function hasNoRoomYet(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}

/** Blocks, for 10 ms: only where the process ends. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
}
