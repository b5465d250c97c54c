import type { Readable } from 'node:stream';
import type { Clock } from '../clock.js';

/** Everything that a command uses of its process: environment, streams, clock. */
export interface Io {
  clock: Clock;
  env: NodeJS.ProcessEnv;
  /** `isTTY` is true for a terminal, where a person can answer questions. */
  stdin: Readable & { isTTY?: boolean };
  stdout: Terminal;
  stderr: Terminal;
  /** Signal that Ctrl-C aborts. */
  signal: AbortSignal;
}

/** An output stream. `isTTY` is true for terminals, not for pipes and files. `columns` is the width of the terminal. */
export interface Terminal {
  write(text: string): unknown;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
}
