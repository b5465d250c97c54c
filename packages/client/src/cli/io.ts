import type { Readable } from 'node:stream';
import type { Clock } from '../clock.js';

/** Environment, streams and clock of the process. Tests replace them. */
export interface Io {
  clock: Clock;
  env: NodeJS.ProcessEnv;
  /** `isTTY` is true for a terminal. Commands ask for confirmation only on a terminal. */
  stdin: Readable & { isTTY?: boolean };
  stdout: Terminal;
  stderr: Terminal;
  /** Signal that is aborted when the user presses Ctrl-C, or when the process gets SIGTERM. */
  signal: AbortSignal;
}

/** An output stream. `isTTY` is true only for a terminal, and `columns` is its width in characters. */
export interface Terminal {
  write(text: string): unknown;
  /** True after the stream has failed, for example because its reader has ended. Further output is discarded. */
  isClosed?: boolean | undefined;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
}
