import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Commands of a helper process. Each command has one parameter and one result. */
type Commands = Record<string, (input: never) => unknown>;

/** A process that belongs to the test suite, for example the load generator or the destination. */
export interface HelperProcess<C extends Commands> {
  readonly pid: number;
  /** Runs a command in the process. Rejects with the command's error, or if the process ends. */
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

type Reply = { id: number; result: unknown } | { id: number; failure: string };

/** Forks the module `modulePath`, which is relative to `importUrl` and must call `serveCommands`. */
export function startHelper<C extends Commands>(importUrl: string, modulePath: string): HelperProcess<C> {
  const file = fileURLToPath(new URL(modulePath, importUrl));
  // Advanced serialization can transfer typed arrays. JSON would convert them to objects.
  const child = fork(file, { serialization: 'advanced', execArgv: nodeOptions() });
  const pending = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  let calls = 0;
  child.on('message', (reply: Reply) => {
    const call = pending.get(reply.id);
    pending.delete(reply.id);
    if ('failure' in reply) call?.reject(new Error(reply.failure));
    else call?.resolve(reply.result as never);
  });
  child.on('exit', (code) => {
    for (const { reject } of pending.values()) reject(new Error(`${file} ended with ${code}`));
    pending.clear();
  });
  return {
    pid: child.pid!,
    call: (name, input) =>
      new Promise((resolve, reject) => {
        calls += 1;
        pending.set(calls, { resolve, reject });
        child.send({ id: calls, name, input } satisfies Call);
      }),
    stop: () => stopChild(child),
  };
}

/** Runs the commands that the parent process sends. Exits when the parent disconnects. */
export function serveCommands(commands: Commands): void {
  process.on('message', async ({ id, name, input }: Call) => {
    const send = (reply: Reply) => process.connected && process.send?.(reply);
    try {
      send({ id, result: await commands[name]!(input as never) });
    } catch (error) {
      send({ id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  process.on('disconnect', () => process.exit());
  // Ctrl-C sends SIGINT to the whole process group. Helpers ignore it, because the parent process decides when they
  // end.
  process.on('SIGINT', () => {});
}

/**
 * Returns the Node.js options of helper processes. Example: with `TOCSIN_BENCH_NODE_OPTIONS="--cpu-prof"`, each helper
 * writes a CPU profile.
 */
function nodeOptions(): string[] {
  return (process.env.TOCSIN_BENCH_NODE_OPTIONS ?? '').split(' ').filter((option) => option !== '');
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.disconnect();
  await exited;
}
