import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../measure/clock.js';
import { noRepeats, startLoad } from './exposure.js';
import type { Exposure, Trial } from './fault.js';

/** Duration of continuous or repeated faults, in milliseconds. */
export const faultDurationMs = 10_000;
/** Interval between two cuts of the connections, in milliseconds. It is long enough for clients to reconnect. */
export const cutIntervalMs = 300;

export interface RepeatedFault {
  intervalMs: number;
  /** Plural noun for the affected items in the result table, for example "connections". */
  of: string;
  /** Injects the fault once. Returns the number of affected items. */
  inject: () => Promise<number>;
}

/** Injects a fault repeatedly and adds up the affected items. No process ends, so no request may be repeated. */
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
