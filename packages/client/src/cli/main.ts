#!/usr/bin/env node
import { systemClock } from '../clock.js';
import { exitCodes } from './exit-codes.js';
import { runCli } from './run-cli.js';

const interrupted = new AbortController();
// `once` removes the handler after the first Ctrl-C, so that a second Ctrl-C ends the process immediately.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);

function interrupt(): void {
  interrupted.abort();
  // Some waits, such as reading standard input, ignore the abort signal. The process therefore exits after one second.
  setTimeout(() => process.exit(exitCodes.interrupted), 1_000).unref();
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // EPIPE means that the program that reads the output, such as `head`, has ended. This is not an error of the command.
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
