import { monotonicMs } from '../measure/clock.js';
import { claimedNow } from './in-flight.js';
import type { Part } from './part.js';
import type { ServicePart } from './start-services.js';
import type { Exposure, Trial } from './trial.js';

/** Something that happens to one part, and is over when it resolves. */
interface Blow {
  /** Blows of one round meet different parts. */
  part: string;
  strike(): Promise<void>;
}

const rounds = { long: 12, short: 4 };
const blowsInRound = 2;
const longestMs = 8_000;

/** Rounds of blows at several parts at once, chosen by a seed so that a run can be had again. */
export function everythingAtRandom(seed: number): (trial: Trial) => Promise<Exposure> {
  return async (trial) => {
    const random = createRandom(seed);
    const pick = <T>(items: T[]): T => items[Math.floor(random() * items.length)]!;
    const atRisk = new Set<number>();
    let bound = 0;
    await trial.counter.call('behave', { delayMs: 300 });
    for (let round = 0; round < rounds[trial.timing.form]; round += 1) {
      await trial.pause(500 + random() * 2_000);
      const blows: Blow[] = [];
      while (blows.length < blowsInRound) {
        const blow = pick(allBlows(trial, random));
        if (blows.every(({ part }) => part !== blow.part)) blows.push(blow);
      }
      const { all } = await claimedNow(trial);
      for (const slot of all) atRisk.add(slot);
      // Behind an outage a worker may hold as much as it can: what is measured before would be too little.
      bound += slotsOfWorker * blows.filter(({ part }) => part.startsWith('worker')).length;
      await Promise.all(blows.map(({ strike }) => strike()));
    }
    return { inFlight: atRisk.size, of: 'claimed when struck', bound, endedAtMs: monotonicMs() };
  };
}

/** `DELIVERY_SLOTS`, as it is unless set. */
const slotsOfWorker = 800;

function allBlows(trial: Trial, random: () => number): Blow[] {
  const { workers, api, postgres, rabbitmq, pause } = trial;
  const aWhile = () => pause(500 + random() * longestMs);
  const kill = (part: Part): Blow => ({
    part: part.name,
    async strike() {
      part.signal('SIGKILL');
      await part.gone();
      await part.revive();
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
    async strike() {
      part.signal('SIGSTOP');
      await aWhile();
      part.signal('SIGCONT');
    },
  });
  const freeze = (part: ServicePart): Blow => ({
    part: part.name,
    async strike() {
      const wire = random() < 0.5 ? part.database : part.broker;
      wire.freeze();
      await aWhile();
      if (random() < 0.5) wire.cut();
      wire.thaw();
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
