import { setTimeout as sleep } from 'node:timers/promises';

export interface UntilOptions {
  timeoutMs?: number;
  everyMs?: number;
}

/** Waits until `check` gives something, and gives it; fails with `what` when the time is up. */
export async function until<T>(
  what: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  { timeoutMs = 15_000, everyMs = 20 }: UntilOptions = {},
): Promise<T> {
  const endsAtMs = performance.now() + timeoutMs;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== false) return found as T;
    if (performance.now() > endsAtMs) throw new Error(`Waited ${timeoutMs} ms in vain: ${what}.`);
    await sleep(everyMs);
  }
}
