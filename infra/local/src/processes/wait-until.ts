import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './process-host.js';

export interface WaitOptions {
  what: string;
  timeoutMs: number;
  /** Waiting ends at once when this child dies. */
  child?: Child;
  intervalMs?: number;
  signal?: AbortSignal;
}

/** Asks again and again until `probe` no longer throws, and gives back what it gave. The last failure is the cause. */
export async function waitUntil<T>(probe: () => Promise<T>, options: WaitOptions): Promise<T> {
  const { what, timeoutMs, child, intervalMs = 50, signal } = options;
  const deadline = Date.now() + timeoutMs;
  let exit: string | undefined;
  void child?.exited.then(({ code, signal: by }) => {
    exit = by === null ? `ended with code ${code}` : `was ended by ${by}`;
  });
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await probe();
    } catch (cause) {
      if (exit !== undefined) throw new Error(`${what}: the process ${exit}${quoteLog(child)}`, { cause });
      if (Date.now() >= deadline) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`${what}: not ready after ${timeoutMs / 1000} s (${reason})${quoteLog(child)}`, {
          cause,
        });
      }
    }
    await sleep(intervalMs);
  }
}

function quoteLog(child: Child | undefined): string {
  if (child === undefined) return '';
  const tail = child.logTail();
  return `; log: ${child.logFile}${tail === '' ? '' : `\n${tail.replaceAll(/^/gm, '    | ')}`}`;
}
