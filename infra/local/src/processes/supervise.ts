import { exponentialBackoffMs, messageOf, sleep } from '@tocsin/kit';
import type { Child } from './process-host.js';

export interface SuperviseOptions {
  name: string;
  /** Starts the process. It is called again after each exit, with increasing delays. */
  start: () => Promise<Child>;
  /** Ends the supervision. After an abort, the process is not started again. */
  signal: AbortSignal;
  say: (message: string) => void;
  /** Called after each restart. An error is reported with `say`, and the supervision continues. */
  onRestart: () => void;
}

export interface Supervised {
  readonly name: string;
  pid(): number;
  /** Stops the process. The signal must be aborted first, because otherwise the process would be started again. */
  stop(): Promise<void>;
}

/** Jitter is 0, because it would only help if many callers called at the same time. A process has one supervisor. */
const restartBackoff = { firstMs: 250, maxMs: 10_000, jitter: 0 };
/** Uptime in milliseconds after which a start counts as successful and the restart delay is reset. */
const healthyAfterMs = 30_000;

/** Starts a process and restarts it after each exit. Rejects if the first start fails. */
export async function supervise(options: SuperviseOptions): Promise<Supervised> {
  const { name, start } = options;
  let child = await start();
  const watching = watch(options, child, (next) => {
    child = next;
  });
  return {
    name,
    pid: () => child.pid,
    async stop() {
      await child.stop();
      await watching;
    },
  };
}

async function watch(
  options: SuperviseOptions,
  first: Child,
  replace: (child: Child) => void,
): Promise<void> {
  const { name, signal, say, onRestart } = options;
  let child = first;
  let exits = 0;
  for (;;) {
    const startedAtMs = Date.now();
    const { code, signal: by } = await child.exited;
    if (signal.aborted) return;
    exits = Date.now() - startedAtMs > healthyAfterMs ? 1 : exits + 1;
    say(
      `${name} ${by === null ? `ended with code ${code}` : `was ended by ${by}`}; starting it again. Log: ${child.logFile}`,
    );
    const next = await startAgain(options, exits);
    if (next === undefined) return;
    if (signal.aborted) return next.stop();
    child = next;
    replace(child);
    try {
      onRestart();
    } catch (error) {
      say(`The restart of ${name} could not be recorded: ${messageOf(error)}`);
    }
  }
}

async function startAgain(
  { name, start, signal, say }: SuperviseOptions,
  exits: number,
): Promise<Child | undefined> {
  for (let failures = exits; ; failures += 1) {
    await sleep(exponentialBackoffMs(failures, restartBackoff), signal);
    if (signal.aborted) return undefined;
    try {
      return await start();
    } catch (error) {
      if (signal.aborted) return undefined;
      say(`${name} does not start: ${messageOf(error)}`);
    }
  }
}
