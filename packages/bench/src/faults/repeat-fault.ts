import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../measure/clock.js';
import { noRepeats, startLoad } from './exposure.js';
import type { Exposure, Trial } from './fault.js';

/** Duration of faults that last or repeat, in milliseconds. */
export const faultDurationMs = 10_000;
/** Interval between two cuts of connections in milliseconds, long enough for clients to reconnect. */
export const cutIntervalMs = 300;

export interface RepeatedFault {
  intervalMs: number;
  /** Name of the items that the fault hits, such as "connections". */
  of: string;
  /** Returns the number of items hit. */
  inject: () => Promise<number>;
}

/** Injects a fault repeatedly and adds up the items that it hits. No process dies, so no request may be repeated. */
export async function repeatFault(
  trial: Trial,
  { intervalMs, of, inject }: RepeatedFault,
): Promise<Exposure> {
  await startLoad(trial);
  const endMs = monotonicMs() + faultDurationMs;
  let hit = 0;
  while (monotonicMs() < endMs) {
    hit += await inject();
    await sleep(intervalMs);
  }
  return noRepeats(hit, of);
}
