import { Readable } from 'node:stream';
import { runCli } from '../../src/cli/run-cli.js';
import { type Clock, systemClock } from '../../src/clock.js';

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  env?: Record<string, string>;
  stdin?: string;
  signal?: AbortSignal;
  clock?: Clock;
  /** Width of the terminal in characters. Undefined: the output is a pipe. */
  columns?: number;
  onOutput?: (printed: CliResult) => void;
}

/** Runs one command line in this process. */
export async function cli(words: string[], options: CliOptions = {}): Promise<CliResult> {
  const { env = {}, stdin = '', columns, onOutput, clock = systemClock } = options;
  const result = { code: 0, stdout: '', stderr: '' };
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  result.code = await runCli(words, {
    clock,
    env,
    stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
    stdout: {
      ...terminal,
      write(text) {
        result.stdout += text;
        onOutput?.(result);
      },
    },
    stderr: {
      ...terminal,
      write(text) {
        result.stderr += text;
        onOutput?.(result);
      },
    },
    signal: options.signal ?? new AbortController().signal,
  });
  return result;
}
