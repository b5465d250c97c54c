import { setTimeout as sleep } from 'node:timers/promises';

export interface UntilOptions {
  timeoutMs?: number;
  intervalMs?: number;
}

/**
 * Polls `check` until it returns a value other than undefined and false, and returns that value.
 * @throws Error with `condition` (a clause: "the alert is published") after `timeoutMs`.
 */
export async function until<T>(
  condition: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  { timeoutMs = 15_000, intervalMs = 20 }: UntilOptions = {},
): Promise<T> {
  const endsAtMs = performance.now() + timeoutMs;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== false) return found as T;
    if (performance.now() > endsAtMs) throw new Error(`Timed out after ${timeoutMs} ms: ${condition}.`);
    await sleep(intervalMs);
  }
}
