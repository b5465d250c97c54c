#!/usr/bin/env node
import { systemClock } from '../clock.js';
import { exitCodes } from './exit-codes.js';
import { runCli } from './run-cli.js';

const interrupted = new AbortController();
// `once`: the second Ctrl-C has no handler and ends the process immediately.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);

function interrupt(): void {
  interrupted.abort();
  // The signal cannot abort some waits, such as reading standard input, so the process ends after one second.
  setTimeout(() => process.exit(exitCodes.interrupted), 1_000).unref();
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // EPIPE: the program that reads the output, such as head, has closed the pipe.
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const { env, stdin, stdout, stderr } = process;
process.exitCode = await runCli(process.argv.slice(2), {
  clock: systemClock,
  env,
  stdin,
  stdout,
  stderr,
  signal: interrupted.signal,
});
