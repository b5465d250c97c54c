import { setTimeout as sleep } from 'node:timers/promises';

export interface UntilOptions {
  timeoutMs?: number;
  intervalMs?: number;
}

/**
 * Calls `check` repeatedly until it returns a value other than undefined and false, and returns that value.
 * @throws Error after `timeoutMs`, with `condition` in its message, such as "the alert is published"
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
