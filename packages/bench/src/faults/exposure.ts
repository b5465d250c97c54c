import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@tocsin/testing';
import type { Behaviour } from '../destination/destination-main.js';
import { monotonicMs } from '../measure/clock.js';
import { deliveryIndexOf } from './compare.js';
import { type Exposure, recoveryPolling, type Trial } from './fault.js';
import { readClaimed } from './fault-records-reader.js';

/**
 * Deliveries that a worker has claimed but not recorded, by delivery index.
 */
export interface Claimed {
  all: Set<number>;
  /** Deliveries whose request has reached the destination. */
  sent: Set<number>;
  /** Claim number by delivery index. */
  claims: Map<number, number>;
}

/** Returns the deliveries that any worker has claimed at this moment. */
export function readCurrentClaims(trial: Trial): Promise<Claimed> {
  return readClaims(trial);
}

/** A worker without a fault records its deliveries within this time, in milliseconds. */
const recordTimeMs = 3_000;

/**
 * Returns the claims that exist 3 s after the call. The function must be called at the start of a fault that prevents
 * all workers from recording. The claims after 3 s then belong to deliveries that workers cannot record.
 */
export async function readUnrecordedClaims(trial: Trial): Promise<Claimed> {
  await sleep(recordTimeMs);
  return readClaims(trial);
}

/**
 * Delay before the claims of a killed or stopped worker are read, in milliseconds. Meanwhile the database finishes the
 * last statements of the worker, and the destination reads its last requests. The lease of the worker is valid for at
 * least 2 s after the kill, so its claims are not released yet.
 */
const lastWritesMs = 1_000;

/**
 * Returns the claims of a worker that was killed, stopped or disconnected just before the call. Without `pid`, returns
 * the claims of all workers.
 */
export async function readLostClaims(trial: Trial, pid?: number): Promise<Claimed> {
  await sleep(lastWritesMs);
  return readClaims(trial, pid);
}

/**
 * Calls `readLostClaims` for a worker. If the database is unavailable too, repeats the call until the database
 * responds.
 */
export async function readLostClaimsWhenAvailable(trial: Trial, pid: number): Promise<Claimed> {
  const read = () => readLostClaims(trial, pid).catch(() => undefined);
  return until('the database is available', read, recoveryPolling);
}

const stuckAfterMs = 500;
const stuckTimeoutMs = 5_000;

/**
 * Waits until a claim of the worker has been unrecorded for 500 ms, which is longer than a healthy worker needs to send
 * and record a delivery. Returns after 5 s at the latest.
 */
export async function waitForStuckClaim(trial: Trial, pid: number): Promise<void> {
  const deadlineMs = monotonicMs() + stuckTimeoutMs;
  let before = new Map<number, number>();
  while (monotonicMs() < deadlineMs) {
    const { claims } = await readClaims(trial, pid);
    if ([...claims].some(([index, claim]) => before.get(index) === claim)) return;
    before = claims;
    await sleep(stuckAfterMs);
  }
}

async function readClaims(trial: Trial, pid?: number): Promise<Claimed> {
  const { run, fixtures, database, destination } = trial;
  const rows = await readClaimed(database, { run, pid });
  const { received } = await destination.call('arrivals', undefined);
  const claims = new Map(rows.map((row) => [deliveryIndexOf(run, fixtures.webhookIds, row), row.claim]));
  const all = new Set(claims.keys());
  return { all, sent: new Set([...all].filter((index) => received[index]! > 0)), claims };
}

/**
 * Delay of each response: 300 ms. It is long enough that requests are in flight at every moment, and far below the
 * request timeout.
 */
export const slowResponses = { delayMs: 300 };

/** Delays the responses of the destination and waits 1 s, so that requests are in flight. */
export async function startLoad({ destination }: Trial, behaviour: Partial<Behaviour> = {}): Promise<void> {
  await destination.call('setBehaviour', { ...slowResponses, ...behaviour });
  await sleep(1_000);
}

/**
 * Returns the effect of a fault that must not cause repeated requests, because each worker can still record the
 * deliveries that it has claimed.
 */
export function noRepeats(inFlight: number, of: string, endedAtMs = monotonicMs()): Exposure {
  return { inFlight, of, bound: 0, endedAtMs };
}

/**
 * An alert counts as delayed if the broker or the API has not confirmed it within this time, in milliseconds. Without a
 * fault, every alert is confirmed within 1 s.
 */
const defaultDelayMs = 1_000;

/**
 * Counts the alerts that the broker or the API confirmed late, or not yet, because of the fault. The function must be
 * called at the end of the fault.
 * @param options.sinceMs start of the fault, on the monotonic clock
 * @param options.minimumMs time from the publish to the confirm from which an alert counts as delayed, in milliseconds
 */
export async function delayedAlerts(
  { generator, run }: Trial,
  { sinceMs, minimumMs = defaultDelayMs }: { sinceMs: number; minimumMs?: number },
): Promise<Exposure> {
  const delayed = await generator.call('countDelayed', { run, sinceMs, minimumMs });
  return noRepeats(delayed, 'delayed alerts');
}

export interface RepeatableDeliveries {
  /**
   * Delivery indexes of the deliveries that are allowed to have repeated requests. An index that occurs n times allows
   * n repeated requests.
   */
  indexes: Iterable<number>;
  of: string;
  endedAtMs: number;
}

export function mayRepeat({ indexes, of, endedAtMs }: RepeatableDeliveries): Exposure {
  const times = new Map<number, number>();
  for (const index of indexes) times.set(index, (times.get(index) ?? 0) + 1);
  const bound = [...times.values()].reduce((sum, count) => sum + count, 0);
  return { inFlight: bound, of, bound, boundByDelivery: times, endedAtMs };
}
