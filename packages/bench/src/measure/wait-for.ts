import { setTimeout as sleep } from 'node:timers/promises';

export interface Wait {
  /** Text after the count in the error message, which starts with "Stalled: 7 …". */
  description: string;
  count(): Promise<number>;
  isReached(count: number): boolean;
  intervalMs: number;
  /** Waiting fails after this time without a change of the count, in milliseconds. Default: 30 s. */
  stallTimeoutMs?: number;
}

/**
 * Polls a count until `isReached` returns true for it. The total time is unlimited.
 * @throws Error if the count does not change for `stallTimeoutMs`
 */
export async function waitFor(wait: Wait): Promise<void> {
  const { description, count, isReached, intervalMs, stallTimeoutMs = 30_000 } = wait;
  let last = Number.NaN;
  let changedAtMs = performance.now();
  for (;;) {
    const now = await count();
    if (isReached(now)) return;
    if (now !== last) changedAtMs = performance.now();
    last = now;
    if (performance.now() - changedAtMs > stallTimeoutMs) throw new Error(`Stalled: ${now} ${description}.`);
    await sleep(intervalMs);
  }
}
