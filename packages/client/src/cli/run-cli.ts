import { messageOf } from '@tocsin/kit';
import { CommanderError } from 'commander';
import { ApiError } from '../api/errors.js';
import { exitCodeOf, exitCodes } from './exit-codes.js';
import type { Io, Terminal } from './io.js';
import { createProgram } from './program.js';
import { printableLines } from './text.js';

/** Runs a command. `words` are the words after `tocsin`. Resolves with the exit code and never rejects. */
export async function runCli(words: string[], io: Io): Promise<number> {
  try {
    await createProgram(io).parseAsync(words, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    if (io.signal.aborted) return exitCodes.interrupted;
    report(error, io.stderr);
    return exitCodeOf(error);
  }
}

function report(error: unknown, stderr: Terminal): void {
  const lines = [`tocsin: ${messageOf(error)}`, ...placesOf(error)];
  stderr.write(`${lines.map(printableLines).join('\n')}\n`);
}

function placesOf(error: unknown): string[] {
  if (!(error instanceof ApiError)) return [];
  const places = error.errors.map(({ path, message }) => `  ${path} ${message}`);
  return error.requestId === undefined ? places : [...places, `  (request ${error.requestId})`];
}
