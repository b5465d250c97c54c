import { Readable } from 'node:stream';
import { runCli } from '../../src/cli/run-cli.js';

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  env?: Record<string, string>;
  stdin?: string;
  signal?: AbortSignal;
  /** As a terminal this wide; else as a pipe. */
  columns?: number;
  onOutput?: (stdout: string) => void;
}

/** Runs one command line in this process. */
export async function cli(words: string[], options: CliOptions = {}): Promise<CliResult> {
  const { env = {}, stdin = '', columns, onOutput } = options;
  const result = { code: 0, stdout: '', stderr: '' };
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  result.code = await runCli(words, {
    env,
    stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
    stdout: {
      ...terminal,
      write(text) {
        result.stdout += text;
        onOutput?.(result.stdout);
      },
    },
    stderr: {
      ...terminal,
      write(text) {
        result.stderr += text;
      },
    },
    signal: options.signal ?? new AbortController().signal,
  });
  return result;
}
