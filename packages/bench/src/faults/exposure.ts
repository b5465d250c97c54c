import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@tocsin/testing';
import type { Behaviour } from '../destination/counter-main.js';
import { monotonicMs } from '../measure/clock.js';
import { slotOf } from './compare.js';
import { readClaimed } from './records-reader.js';
import { type Exposure, patience, type Trial } from './trial.js';

/** Deliveries that a worker has claimed and not recorded, as slots. */
export interface Claimed {
  all: Set<number>;
  /** Those whose request has reached the destination. */
  sent: Set<number>;
  /** The number of each one's claim, by its slot. */
  claims: Map<number, number>;
}

/** What is claimed at this moment, by whichever worker. */
export async function claimedNow(trial: Trial): Promise<Claimed> {
  return readSlots(trial, new Date(Date.now() + 1_000));
}

/** Whoever lives has recorded what it held by then. */
const othersRecordWithinMs = 3_000;

/** What a worker held that was killed or stopped at `at`: claimed before, and still so when the others have recorded theirs. */
export async function claimedByTheLost(trial: Trial, at: Date): Promise<Claimed> {
  await sleep(othersRecordWithinMs);
  return readSlots(trial, at);
}

/** The same where the database may have been struck too: as soon as it can be asked. */
export async function claimedByTheStruck(trial: Trial, at: Date): Promise<Claimed> {
  return until('the database answers', () => claimedByTheLost(trial, at).catch(() => undefined), patience);
}

const stuckForMs = 500;
const stuckWithinMs = 5_000;

/** Waits until a claim has stood for longer than a living worker needs; returns in vain where none comes to. */
export async function claimsAreStuck(trial: Trial): Promise<void> {
  const deadlineMs = monotonicMs() + stuckWithinMs;
  while (monotonicMs() < deadlineMs) {
    await sleep(stuckForMs);
    const { all } = await readSlots(trial, new Date(Date.now() - stuckForMs));
    if (all.size > 0) return;
  }
}

async function readSlots(trial: Trial, claimedBefore: Date): Promise<Claimed> {
  const { run, scene, database, counter, timing } = trial;
  const rows = await readClaimed(database, { run, claimedBefore, claimLeaseMs: timing.claimLeaseMs });
  const { received } = await counter.call('arrivals', undefined);
  const claims = new Map(rows.map((row) => [slotOf(run, scene.webhookIds, row), row.claim]));
  const all = new Set(claims.keys());
  return { all, sent: new Set([...all].filter((slot) => received[slot]! > 0)), claims };
}

/** Slow enough that requests are always under way, quick enough that none times out. */
export const slowAnswers = { delayMs: 300 };

/** Waits until requests are under way, as they are from then on. */
export async function underLoad({ counter }: Trial, behaviour: Partial<Behaviour> = {}): Promise<void> {
  await counter.call('behave', { ...slowAnswers, ...behaviour });
  await sleep(1_000);
}

/** Nothing may be repeated: who held a delivery lived on and recorded it. */
export function nothingAtRisk(inFlight: number, of: string, endedAtMs = monotonicMs()): Exposure {
  return { inFlight, of, bound: 0, endedAtMs };
}

/** Longer than any alert waits while all is well. */
const keptWaitingMs = 1_000;

/** To be called when it is over, with when it began: alerts that were offered meanwhile and not taken for a while. */
export async function alertsKeptWaiting(
  { doors }: Trial,
  { sinceMs, forMs = keptWaitingMs }: { sinceMs: number; forMs?: number },
): Promise<Exposure> {
  return nothingAtRisk(await doors.call('keptWaiting', { sinceMs, forMs }), 'alerts kept waiting');
}

/** Each of the slots may be repeated as often as it is named. */
export function atRisk(slots: Iterable<number>, of: string, endedAtMs: number): Exposure {
  const times = new Map<number, number>();
  for (const slot of slots) times.set(slot, (times.get(slot) ?? 0) + 1);
  const bound = [...times.values()].reduce((sum, count) => sum + count, 0);
  return { inFlight: bound, of, bound, slots: times, endedAtMs };
}
