import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../measure/clock.js';
import type { Part } from '../test-bed/managed-process.js';
import type { ServicePart } from '../test-bed/services.js';
import { atRisk, claimedByTheStruck, slowAnswers } from './exposure.js';
import type { Exposure, Trial } from './trial.js';

/** Something that happens to one part, and is over when it resolves. */
interface Blow {
  /** Blows of one round meet different parts. */
  part: string;
  /** Calls `note`, with the time, once a worker may no longer come to record what it holds. */
  strike(note: (at: Date) => Promise<void>): Promise<unknown>;
}

const rounds = { long: 12, short: 4 };
const blowsInRound = 2;
const longestMs = 8_000;

/** Rounds of blows at several parts at once, chosen by a seed so that a run can be had again. */
export function everythingAtRandom(seed: number): (trial: Trial) => Promise<Exposure> {
  return async (trial) => {
    const random = createRandom(seed);
    const pick = <T>(items: T[]): T => items[Math.floor(random() * items.length)]!;
    /** The slot of each claim that a worker held when it was struck: one that is not recorded is sent once more. */
    const claims = new Map<string, number>();
    const note = async (at: Date) => {
      for (const [slot, claim] of (await claimedByTheStruck(trial, at)).claims)
        claims.set(`${slot}/${claim}`, slot);
    };
    await trial.counter.call('behave', slowAnswers);
    for (let round = 0; round < rounds[trial.timing.form]; round += 1) {
      await sleep(500 + random() * 2_000);
      const blows: Blow[] = [];
      while (blows.length < blowsInRound) {
        const blow = pick(allBlows(trial, random));
        if (blows.every(({ part }) => part !== blow.part)) blows.push(blow);
      }
      await Promise.all(blows.map(({ strike }) => strike(note)));
    }
    return atRisk(claims.values(), 'claimed by who was struck', monotonicMs());
  };
}

function allBlows(trial: Trial, random: () => number): Blow[] {
  const { workers, api, postgres, rabbitmq } = trial;
  const aWhile = () => sleep(500 + random() * longestMs);
  /** Only workers hold deliveries. */
  const isWorker = (part: Part) => workers.some(({ name }) => name === part.name);
  const kill = (part: Part): Blow => ({
    part: part.name,
    async strike(note) {
      part.signal('SIGKILL');
      await part.gone();
      await Promise.all([isWorker(part) && note(new Date()), part.revive()]);
    },
  });
  const restart = (part: Part): Blow => ({
    part: part.name,
    async strike() {
      await part.stop();
      await part.revive();
    },
  });
  const stop = (part: Part): Blow => ({
    part: part.name,
    async strike(note) {
      part.signal('SIGSTOP');
      const over = aWhile().then(() => part.signal('SIGCONT'));
      await Promise.all([isWorker(part) && note(new Date()), over]);
    },
  });
  const freeze = (part: ServicePart): Blow => ({
    part: part.name,
    async strike(note) {
      const wire = random() < 0.5 ? part.database : part.broker;
      wire.freeze();
      const over = aWhile().then(() => {
        if (random() < 0.5) wire.cut();
        wire.thaw();
      });
      // Cut off from the broker it records as ever.
      await Promise.all([isWorker(part) && wire === part.database && note(new Date()), over]);
    },
  });
  const services = [...workers, api];
  return [
    ...services.flatMap((part) => [kill(part), stop(part), freeze(part)]),
    ...[postgres, rabbitmq].flatMap((part) => [kill(part), restart(part)]),
  ];
}

/** Mulberry32: small, and the same numbers for the same seed everywhere. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
