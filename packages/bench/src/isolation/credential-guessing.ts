import { setTimeout as sleep } from 'node:timers/promises';
import { type Percentiles, percentilesOf } from '../measure/statistics.js';
import { makeKeys, timeVerify } from '../test-bed/engine-keys.js';
import { startHelper } from '../test-bed/helper-process.js';
import { type Apis, startApis } from '../test-bed/start-apis.js';
import { createBench } from '../test-bed/test-bed.js';
import type { GuessesCommands } from './credential-guessing-main.js';

/** How long good keys took to be found good, in milliseconds; where one is refused, measuring throws. */
export interface GuessesResult {
  /** Of keys in use: alone, and beside guesses. */
  alone: Percentiles;
  beside: Percentiles;
  /** Beside guesses: of keys whose last check is too long ago to count, and of those that were never used. */
  due: Percentiles;
  first: Percentiles;
  /** How often the guesses got each status. */
  statuses: Record<string, number>;
}

const guessesPerSecond = 1_000;
const usesPerSecond = 100;
const warmSeconds = 5;
const keysInUse = 20;
/** A check counts for 10 seconds. */
const checkCountsMs = 10_000;
const besideSeconds = 20;
/** One key a time, each with the time to itself that it would have among users. */
const singleEveryMs = 500;
const singles = 18;

/** Keys in use, due for their check and new, beside strangers that guess (the engine's `/auth/verify`). */
export async function measureGuesses(say: (line: string) => void): Promise<GuessesResult> {
  const bench = await createBench({ say, profile: false });
  const strangers = startHelper<GuessesCommands>(import.meta.url, './credential-guessing-main.js');
  try {
    const apis = await startApis(bench.stack, bench.secretsKeys);
    const [inUse, unchecked, unused] = [
      await makeKeys(apis, keysInUse),
      await makeKeys(apis, singles),
      await makeKeys(apis, singles),
    ];
    const ids = [...inUse, ...unchecked, ...unused].map(idOf);
    const guess = (seconds: number) =>
      strangers.call('guess', { origin: apis.engineUrl, ids, perSecond: guessesPerSecond, seconds });
    // What the engine does day by day is compiled by then, refusing guesses too; and each key is checked once.
    await guess(warmSeconds);
    for (const key of [...inUse, ...unchecked]) await timeVerify(apis, key);
    await useFor(apis, inUse, warmSeconds);
    const alone = await useFor(apis, inUse, checkCountsMs / 1_000);
    const guessing = guess(besideSeconds);
    const using = useFor(apis, inUse, besideSeconds);
    const due = await useOneByOne(apis, unchecked);
    const first = await useOneByOne(apis, unused);
    return {
      alone: percentilesOf(alone),
      beside: percentilesOf(await using),
      due: percentilesOf(due),
      first: percentilesOf(first),
      statuses: await guessing,
    };
  } finally {
    await strangers.stop();
    await bench.stop();
  }
}

/** At their rate, however long the answers take. */
async function useFor(apis: Apis, keys: string[], seconds: number): Promise<number[]> {
  const uses: Promise<number>[] = [];
  const startedAtMs = performance.now();
  while (uses.length < seconds * usesPerSecond) {
    uses.push(timeVerify(apis, keys[uses.length % keys.length]!));
    await sleep(startedAtMs + (uses.length * 1_000) / usesPerSecond - performance.now());
  }
  return Promise.all(uses);
}

async function useOneByOne(apis: Apis, keys: string[]): Promise<number[]> {
  const tookMs: number[] = [];
  for (const key of keys) {
    tookMs.push(await timeVerify(apis, key));
    await sleep(singleEveryMs);
  }
  return tookMs;
}

/** A key as its holder has it is base64 of `{id}:{secret}` (the customer's interface, "Internal format"). */
function idOf(key: string): string {
  return Buffer.from(key, 'base64').toString('latin1').split(':')[0]!;
}
