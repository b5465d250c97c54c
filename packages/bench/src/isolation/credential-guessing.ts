import { setTimeout as sleep } from 'node:timers/promises';
import { type Percentiles, percentilesOf } from '../measure/statistics.js';
import { type Apis, createUserKeys, startApis, timeVerify } from '../test-bed/apis.js';
import { startHelper } from '../test-bed/helper-process.js';
import { createTestBed } from '../test-bed/test-bed.js';
import type { GuessingCommands } from './credential-guessing-main.js';

/** Durations of requests to `/auth/verify` with valid keys, in milliseconds, and the responses to the attacker. */
export interface GuessingResult {
  /** Keys in regular use, without an attacker. */
  alone: Percentiles;
  /** Keys in regular use, while an attacker sends guessed secrets. */
  withGuessing: Percentiles;
  /** Keys whose cached bcrypt check has expired, while an attacker sends guessed secrets. */
  expiredChecks: Percentiles;
  /** Keys that are verified for the first time, while an attacker sends guesses with unknown key ids. */
  firstChecks: Percentiles;
  /** Number of responses to guesses, by status. */
  statuses: Record<string, number>;
}

const warmUpSeconds = 5;
/** Time for which the engine caches the result of a bcrypt check, in seconds. */
const checkLifetimeSeconds = 10;
const guesses = { perSecond: 1_000, seconds: 20 };
/**
 * Number of attacked keys that no user uses. The engine has no cached check of such a key, so each guessed secret needs
 * a bcrypt check. The engine limits the number of these checks.
 */
const unusedTargets = 20;
const keysInUse = { count: 20, usesPerSecond: 100 };
/**
 * Number of keys that are verified once each, one after the other, and the pause after each verification in
 * milliseconds. The bcrypt checks of these keys never overlap, so they do not wait for one another.
 */
const singleKeys = { count: 18, intervalMs: 500 };
/**
 * Duration of the attack while keys are verified for the first time, in seconds: the sum of all pauses, plus one second
 * for the verifications.
 */
const firstChecksSeconds = (singleKeys.count * singleKeys.intervalMs) / 1_000 + 1;

/**
 * Measures the durations of `/auth/verify` for valid keys, without an attacker and while an attacker guesses
 * credentials.
 * @throws Error if a valid key is rejected
 */
export async function measureGuessing(print: (line: string) => void): Promise<GuessingResult> {
  const testBed = await createTestBed({ print });
  const attacker = startHelper<GuessingCommands>(import.meta.url, './credential-guessing-main.js');
  try {
    const apis = await startApis(testBed);
    const inUse = await createUserKeys(apis, keysInUse.count);
    const expiring = await createUserKeys(apis, singleKeys.count);
    const unused = await createUserKeys(apis, singleKeys.count);
    const targets = await createUserKeys(apis, unusedTargets);
    const knownIds = [...inUse, ...expiring, ...targets].map(idOf);
    const guess = (seconds: number, ids = knownIds) =>
      attacker.call('guess', { origin: apis.engineUrl, ids, perSecond: guesses.perSecond, seconds });
    // The warm-up contains guesses, so that V8 also compiles the code for rejections. Then each key in `inUse` and
    // `expiring` is verified once, so that the engine caches the result of its bcrypt check.
    await guess(warmUpSeconds);
    for (const key of [...inUse, ...expiring]) await timeVerify(apis, key);
    await useKeys(apis, inUse, warmUpSeconds);
    const alone = await useKeys(apis, inUse, checkLifetimeSeconds);
    const guessing = guess(guesses.seconds);
    const using = useKeys(apis, inUse, guesses.seconds);
    const expiredChecks = await useSingly(apis, expiring);
    const withGuessing = await using;
    const statuses = await guessing;
    // A guess with the id of a key in `unused` could delay the first verification of this key, because both need a
    // bcrypt check. While the keys in `unused` are verified, the attacker therefore sends only unknown key ids.
    const guessingUnknown = guess(firstChecksSeconds, []);
    const firstChecks = await useSingly(apis, unused);
    return {
      alone: percentilesOf(alone),
      withGuessing: percentilesOf(withGuessing),
      expiredChecks: percentilesOf(expiredChecks),
      firstChecks: percentilesOf(firstChecks),
      statuses: addCounts(statuses, await guessingUnknown),
    };
  } finally {
    await attacker.stop();
    await testBed.kill();
  }
}

function addCounts(a: Record<string, number>, b: Record<string, number>): Record<string, number> {
  const sums = { ...a };
  for (const [status, count] of Object.entries(b)) sums[status] = (sums[status] ?? 0) + count;
  return sums;
}

/** Verifies keys in round robin at a fixed rate, regardless of response times. */
async function useKeys(apis: Apis, keys: string[], seconds: number): Promise<number[]> {
  const uses: Promise<number>[] = [];
  const startedAtMs = performance.now();
  while (uses.length < seconds * keysInUse.usesPerSecond) {
    uses.push(timeVerify(apis, keys[uses.length % keys.length]!));
    await sleep(startedAtMs + (uses.length * 1_000) / keysInUse.usesPerSecond - performance.now());
  }
  return Promise.all(uses);
}

async function useSingly(apis: Apis, keys: string[]): Promise<number[]> {
  const timesMs: number[] = [];
  for (const key of keys) {
    timesMs.push(await timeVerify(apis, key));
    await sleep(singleKeys.intervalMs);
  }
  return timesMs;
}

/**
 * Returns the id of a user key. A user key is base64 of `{id}:{secret}`, as the specification of the engine prescribes
 * ("Internal format").
 */
function idOf(key: string): string {
  return Buffer.from(key, 'base64').toString('latin1').split(':')[0]!;
}
