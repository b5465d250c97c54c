#!/usr/bin/env node
import { systemClock } from '../clock.js';
import { exitCodes } from './exit-codes.js';
import { runCli } from './run-cli.js';

const interrupted = new AbortController();
// A second Ctrl-C ends the process immediately.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);

function interrupt(): void {
  interrupted.abort();
  // Some waits cannot be aborted, for example reading standard input.
  setTimeout(() => process.exit(exitCodes.interrupted), 1_000).unref();
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of our output has closed the pipe, for example head.
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
