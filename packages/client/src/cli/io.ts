import type { Readable } from 'node:stream';
import type { Clock } from '../clock.js';

/** Everything outside the command: arguments, environment, streams. */
export interface Io {
  clock: Clock;
  env: NodeJS.ProcessEnv;
  stdin: Readable;
  stdout: Terminal;
  stderr: Terminal;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

/** An output stream. `isTerminal` is false for pipes and files. */
export interface Terminal {
  write(text: string): unknown;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
}
