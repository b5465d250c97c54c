import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What a part in a process of its own can be told to do: each command takes one value and gives one back. */
export type Commands = Record<string, (input: never) => unknown>;

export interface Helper<C extends Commands> {
  readonly pid: number;
  call<Name extends keyof C & string>(
    name: Name,
    input: Parameters<C[Name]>[0],
  ): Promise<Awaited<ReturnType<C[Name]>>>;
  stop(): Promise<void>;
}

interface Call {
  id: number;
  name: string;
  input: unknown;
}

type Answer = { id: number; result: unknown } | { id: number; failure: string };

/** Starts `modulePath` (relative to `importUrl`) as a process that serves `C` and ends with this one. */
export function startHelper<C extends Commands>(importUrl: string, modulePath: string): Helper<C> {
  const file = fileURLToPath(new URL(modulePath, importUrl));
  // Advanced serialization hands typed arrays over as they are.
  const child = fork(file, { serialization: 'advanced', execArgv: nodeOptions() });
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  let calls = 0;
  child.on('message', (answer: Answer) => {
    const call = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('failure' in answer) call?.reject(new Error(answer.failure));
    else call?.resolve(answer.result as never);
  });
  child.on('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${file} ended with ${code}`));
    waiting.clear();
  });
  return {
    pid: child.pid!,
    call: (name, input) =>
      new Promise((resolve, reject) => {
        calls += 1;
        waiting.set(calls, { resolve, reject });
        child.send({ id: calls, name, input } satisfies Call);
      }),
    stop: () => stopChild(child),
  };
}

/** The other side: answers calls until the parent goes. */
export function serveCommands(commands: Commands): void {
  process.on('message', async ({ id, name, input }: Call) => {
    const send = (answer: Answer) => process.connected && process.send?.(answer);
    try {
      send({ id, result: await commands[name]!(input as never) });
    } catch (error) {
      send({ id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  process.on('disconnect', () => process.exit());
  // Ctrl-C reaches the whole group; the parent decides when we go.
  process.on('SIGINT', () => {});
}

/** `TOCSIN_BENCH_NODE_OPTIONS="--cpu-prof"` profiles the helpers. */
function nodeOptions(): string[] {
  return (process.env.TOCSIN_BENCH_NODE_OPTIONS ?? '').split(' ').filter((option) => option !== '');
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.disconnect();
  await gone;
}
