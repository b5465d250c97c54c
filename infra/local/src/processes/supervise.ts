import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './process-host.js';

export interface SuperviseOptions {
  name: string;
  /** Called again, with pauses that grow, whenever the process is gone. */
  start: () => Promise<Child>;
  /** Once it is aborted nothing is started again. */
  signal: AbortSignal;
  say: (message: string) => void;
  /** After it was started again. */
  onRestart: () => void;
}

export interface Supervised {
  readonly name: string;
  pid(): number;
  /** Abort the signal first, or it is started again. */
  stop(): Promise<void>;
}

const shortestPauseMs = 250;
const longestPauseMs = 10_000;
/** Who lived this long did not die of its start. */
const healthyAfterMs = 30_000;

/** The first start must succeed; from then on the process is started again whenever it dies. */
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
  let pauseMs = shortestPauseMs;
  for (;;) {
    const startedAt = Date.now();
    const { code, signal: by } = await child.exited;
    if (signal.aborted) return;
    if (Date.now() - startedAt > healthyAfterMs) pauseMs = shortestPauseMs;
    say(
      `${name} ${by === null ? `ended with code ${code}` : `was ended by ${by}`}; starting it again. Log: ${child.logFile}`,
    );
    const next = await startAgain(options, pauseMs);
    if (next === undefined) return;
    if (signal.aborted) return next.stop();
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    child = next;
    replace(child);
    onRestart();
  }
}

async function startAgain(
  { name, start, signal, say }: SuperviseOptions,
  firstPauseMs: number,
): Promise<Child | undefined> {
  let pauseMs = firstPauseMs;
  while (!signal.aborted) {
    try {
      await sleep(pauseMs, undefined, { signal });
      return await start();
    } catch (error) {
      if (signal.aborted) return undefined;
      say(`${name} does not start: ${error instanceof Error ? error.message : String(error)}`);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  }
  return undefined;
}
