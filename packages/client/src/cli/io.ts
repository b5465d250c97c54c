import type { Readable } from 'node:stream';
import type { Clock } from '../clock.js';

/** The world as the command sees it. */
export interface Io {
  clock: Clock;
  env: NodeJS.ProcessEnv;
  stdin: Readable;
  stdout: Terminal;
  stderr: Terminal;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

/** An output, and whether a person is looking at it. */
export interface Terminal {
  write(text: string): unknown;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
}
