import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../measure/clock.js';
import { nothingAtRisk, underLoad } from './exposure.js';
import type { Exposure, Trial } from './trial.js';

/** A fault that goes on lasts so long. */
export const meddlingMs = 10_000;
/** Long enough for connections that are cut over and over to be made anew. */
export const cutEveryMs = 300;

/** Does it over and over, and adds up how much each blow has hit; nobody dies, so nothing may be repeated. */
export async function overAndOver(
  trial: Trial,
  { everyMs, of, blow }: { everyMs: number; of: string; blow: () => Promise<number> },
): Promise<Exposure> {
  await underLoad(trial);
  const endMs = monotonicMs() + meddlingMs;
  let hit = 0;
  while (monotonicMs() < endMs) {
    hit += await blow();
    await sleep(everyMs);
  }
  return nothingAtRisk(hit, of);
}
