#!/usr/bin/env node
import { setMaxListeners } from 'node:events';
import { systemClock } from '../clock.js';
import { exitCodes } from './exit-codes.js';
import { createProcessTerminal } from './process-terminal.js';
import { runCli } from './run-cli.js';

const interrupted = new AbortController();
// Node warns of a leak at more than 10 listeners. Commands with concurrent requests need one for each waiting request.
setMaxListeners(0, interrupted.signal);
// `once` removes the handler after the first Ctrl-C, so that a second Ctrl-C ends the process immediately.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);

function interrupt(): void {
  interrupted.abort();
  // Some waits, such as reading standard input, ignore the abort signal. The process therefore exits after one second.
  setTimeout(() => process.exit(exitCodes.interrupted), 1_000).unref();
}

const stderr = createProcessTerminal(process.stderr, () => {
  process.exitCode ||= exitCodes.failed;
});
const stdout = createProcessTerminal(process.stdout, ({ message }) => {
  stderr.write(`tocsin: The output cannot be written: ${message}\n`);
  process.exitCode ||= exitCodes.failed;
});

const { env, stdin } = process;
const code = await runCli(process.argv.slice(2), {
  clock: systemClock,
  env,
  stdin,
  stdout,
  stderr,
  signal: interrupted.signal,
});
// The streams report errors later than `write` returns, and set the exit code too.
if (code !== exitCodes.ok) process.exitCode = code;
