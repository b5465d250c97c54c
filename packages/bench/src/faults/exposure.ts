import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@tocsin/testing';
import type { Behaviour } from '../destination/destination-main.js';
import { monotonicMs } from '../measure/clock.js';
import { slotOf } from './compare.js';
import { type Exposure, recoveryPolling, type Trial } from './fault.js';
import { readClaimed } from './fault-records-reader.js';

/** Deliveries that a worker has claimed and not recorded, by slot. */
export interface Claimed {
  all: Set<number>;
  /** Deliveries whose request has reached the destination. */
  sent: Set<number>;
  /** Claim number by slot. */
  claims: Map<number, number>;
}

/** Returns the deliveries that any worker has claimed at this moment. */
export function readCurrentClaims(trial: Trial): Promise<Claimed> {
  return readClaims(trial);
}

/** A healthy worker records its deliveries within 3 s. */
const recordTimeMs = 3_000;

/** Returns the claims that stand after 3 s of a fault in which no worker can record. */
export async function readUnrecordedClaims(trial: Trial): Promise<Claimed> {
  await sleep(recordTimeMs);
  return readClaims(trial);
}

/**
 * Time in which the server finishes the last statements of a worker that was killed or stopped. The worker's lease ends at
 * least 2 s after it, so its claims are not released yet.
 */
const lastStatementsMs = 1_000;

/** Returns the claims of a worker that has just been killed, stopped or cut off. */
export async function readLostClaims(trial: Trial, pid: number): Promise<Claimed> {
  await sleep(lastStatementsMs);
  return readClaims(trial, pid);
}

/** Like `readLostClaims`, for a database that may be unavailable too: waits until it can be queried. */
export async function readLostClaimsWhenAvailable(trial: Trial, pid: number): Promise<Claimed> {
  const read = () => readLostClaims(trial, pid).catch(() => undefined);
  return until('the database is available', read, recoveryPolling);
}

const stuckAfterMs = 500;
const stuckTimeoutMs = 5_000;

/** Waits until a claim of the worker is older than a healthy worker needs. Returns after 5 s in any case. */
export async function waitForStuckClaim(trial: Trial, pid: number): Promise<void> {
  const deadlineMs = monotonicMs() + stuckTimeoutMs;
  let before = new Map<number, number>();
  while (monotonicMs() < deadlineMs) {
    const { claims } = await readClaims(trial, pid);
    if ([...claims].some(([slot, claim]) => before.get(slot) === claim)) return;
    before = claims;
    await sleep(stuckAfterMs);
  }
}

async function readClaims(trial: Trial, pid?: number): Promise<Claimed> {
  const { run, fixtures, database, destination } = trial;
  const rows = await readClaimed(database, { run, pid });
  const { received } = await destination.call('arrivals', undefined);
  const claims = new Map(rows.map((row) => [slotOf(run, fixtures.webhookIds, row), row.claim]));
  const all = new Set(claims.keys());
  return { all, sent: new Set([...all].filter((slot) => received[slot]! > 0)), claims };
}

/** 300 ms keep requests in flight at every moment and stay far below the request timeout. */
export const slowResponses = { delayMs: 300 };

/** Slows the destination down and waits until requests are in flight. */
export async function startLoad({ destination }: Trial, behaviour: Partial<Behaviour> = {}): Promise<void> {
  await destination.call('setBehaviour', { ...slowResponses, ...behaviour });
  await sleep(1_000);
}

/** Exposure of a fault in which no worker dies: each worker records its own claims, so no request may be repeated. */
export function noRepeats(inFlight: number, of: string, endedAtMs = monotonicMs()): Exposure {
  return { inFlight, of, bound: 0, endedAtMs };
}

/**
 * Delay in milliseconds above which an alert counts as delayed. Without a fault, every alert is accepted within 1 s.
 */
const defaultDelayMs = 1_000;

/**
 * Counts the alerts that the fault delayed. Must be called at the end of the fault.
 * @param options.sinceMs start of the fault, on the monotonic clock
 * @param options.minimumMs shortest wait for acceptance that counts as delayed
 */
export async function delayedAlerts(
  { generator, run }: Trial,
  { sinceMs, minimumMs = defaultDelayMs }: { sinceMs: number; minimumMs?: number },
): Promise<Exposure> {
  const delayed = await generator.call('countDelayed', { run, sinceMs, minimumMs });
  return noRepeats(delayed, 'delayed alerts');
}

export interface RepeatableSlots {
  /** A slot may be repeated once for each time that it is listed. */
  slots: Iterable<number>;
  of: string;
  endedAtMs: number;
}

export function mayRepeat({ slots, of, endedAtMs }: RepeatableSlots): Exposure {
  const times = new Map<number, number>();
  for (const slot of slots) times.set(slot, (times.get(slot) ?? 0) + 1);
  const bound = [...times.values()].reduce((sum, count) => sum + count, 0);
  return { inFlight: bound, of, bound, slots: times, endedAtMs };
}
