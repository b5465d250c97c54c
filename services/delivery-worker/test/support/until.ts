import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until `check` gives something, and gives it; fails with `what` after `timeoutMs`. */
export async function until<T>(
  what: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 15_000,
): Promise<T> {
  const endsAt = performance.now() + timeoutMs;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== false) return found as T;
    if (performance.now() > endsAt) throw new Error(`Waited ${timeoutMs} ms in vain: ${what}.`);
    await sleep(20);
  }
}
