import { setTimeout as sleep } from 'node:timers/promises';

export interface Wait {
  /** What is counted, as in "Stalled: 7 …". */
  what: string;
  count(): Promise<number>;
  isReached(count: number): boolean;
  everyMs: number;
  /** Where the count has stood still for so long, it will not move any more. */
  stalledAfterMs?: number;
}

/** Polls a count for as long as it moves; throws, and says how far it came, where it comes to a halt before its end. */
export async function waitFor({ what, count, isReached, everyMs, stalledAfterMs = 30_000 }: Wait) {
  let last = Number.NaN;
  let movedAtMs = performance.now();
  for (;;) {
    const now = await count();
    if (isReached(now)) return;
    if (now !== last) movedAtMs = performance.now();
    last = now;
    if (performance.now() - movedAtMs > stalledAfterMs) throw new Error(`Stalled: ${now} ${what}.`);
    await sleep(everyMs);
  }
}
