import { messageOf, retry } from '@tocsin/kit';
import type { Child } from './process-host.js';

export interface WaitOptions {
  what: string;
  timeoutMs: number;
  /** If this child process exits, the wait ends immediately with an error. */
  child?: Child;
  intervalMs?: number;
  signal?: AbortSignal;
}

/**
 * Repeats `probe` until it succeeds, and returns the result of `probe`.
 * @throws Error after the timeout or when `child` has exited. The message contains the last lines of the log of the
 * child. `cause` is the last error of `probe`
 */
export async function waitUntil<T>(probe: () => Promise<T>, options: WaitOptions): Promise<T> {
  const { what, timeoutMs, child, intervalMs = 50, signal } = options;
  const deadlineMs = performance.now() + timeoutMs;
  let exit: string | undefined;
  void child?.exited.then(({ code, signal: by }) => {
    exit = by === null ? `ended with code ${code}` : `was ended by ${by}`;
  });
  const shouldRetry = () => exit === undefined && performance.now() < deadlineMs;
  try {
    return await retry(probe, { shouldRetry, backoff: () => intervalMs, ...(signal && { signal }) });
  } catch (cause) {
    signal?.throwIfAborted();
    if (exit !== undefined) throw new Error(`${what}: the process ${exit}${quoteLog(child)}`, { cause });
    const reason = messageOf(cause);
    throw new Error(`${what}: not ready after ${timeoutMs / 1000} s (${reason})${quoteLog(child)}`, {
      cause,
    });
  }
}

/**
 * Waits until a new child process is ready, which means that `probe` succeeds. If the wait fails, stops the child.
 * @throws Error in the same cases as {@link waitUntil}
 */
export async function waitUntilReady(
  child: Child,
  probe: () => Promise<unknown>,
  options: Omit<WaitOptions, 'child'>,
): Promise<void> {
  try {
    await waitUntil(probe, { ...options, child });
  } catch (error) {
    await child.stop();
    throw error;
  }
}

/** Throws unless a GET request to `url` returns 2xx within 2 s. */
export async function fetchOk(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${url} responded with ${response.status}`);
}

function quoteLog(child: Child | undefined): string {
  if (child === undefined) return '';
  const tail = child.logTail();
  return `; log: ${child.logFile}${tail === '' ? '' : `\n${tail.replaceAll(/^/gm, '    | ')}`}`;
}
