import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from './until.js';

export interface Program {
  child: ChildProcess;
  /** Returns the text that the process has written to standard output and standard error so far. */
  output(): string;
  /** Waits until the output contains `text`. */
  untilOutput(text: string): Promise<void>;
  /**
   * Resolves when the process has ended and its output is complete. The value is the exit code, or the name of the
   * signal that ended the process.
   */
  ended: Promise<number | NodeJS.Signals>;
}

export interface ProgramOptions {
  args?: string[];
  /** File descriptor for standard output. Default: a pipe that `output` reads. */
  stdout?: number;
  /** If true, an IPC channel to the process is opened. */
  ipc?: boolean;
}

/** Starts a built JavaScript file with Node.js. The process gets only the given environment variables. */
export function startProgram(
  file: string,
  env: NodeJS.ProcessEnv,
  { args = [], stdout, ipc = false }: ProgramOptions = {},
): Program {
  const child = spawn(process.execPath, [file, ...args], {
    env,
    stdio: ['ignore', stdout ?? 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
  });
  let text = '';
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  for (const stream of streams)
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  // Waits for the event `close` of the output streams, because Node does not emit `close` for the child process after
  // the parent has disconnected the IPC channel.
  const streamsClosed = Promise.all(streams.map((stream) => once(stream, 'close')));
  const ended = once(child, 'exit').then(async ([code, signal]) => {
    await streamsClosed;
    return (code ?? signal) as number | NodeJS.Signals;
  });
  return {
    child,
    output: () => text,
    untilOutput: (wanted) =>
      until(`the output contains ${wanted}`, () => text.includes(wanted)).then(() => {}),
    ended,
  };
}
