import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../measure/clock.js';
import type { ManagedProcess } from '../test-bed/managed-process.js';
import type { ProxiedService } from '../test-bed/services.js';
import { mayRepeat, readLostClaimsWhenAvailable, slowResponses } from './exposure.js';
import type { Exposure, Trial } from './fault.js';

/** A fault of one process. It has ended when the promise of `inject` resolves. */
interface Injection {
  /** Name of the affected process. The injections of one round affect different processes. */
  target: string;
  /** @param noteClaims must be called with the process id of a worker that may have lost its claims */
  inject(noteClaims: (pid: number) => Promise<void>): Promise<unknown>;
}

const rounds = { long: 12, short: 4 };
const injectionsPerRound = 2;
const maxFaultMs = 8_000;

/** Injects random faults in several rounds. Each round affects two processes. Equal seeds choose equal faults. */
export function injectRandomly(seed: number): (trial: Trial) => Promise<Exposure> {
  return async (trial) => {
    const random = createRandom(seed);
    const pick = <T>(items: T[]): T => items[Math.floor(random() * items.length)]!;
    /**
     * Delivery indexes of the claims of affected workers. The key consists of the index and the claim number. Each
     * claim may lead to one repeated request.
     */
    const claims = new Map<string, number>();
    const noteClaims = async (pid: number) => {
      const lost = await readLostClaimsWhenAvailable(trial, pid);
      for (const [index, claim] of lost.claims) claims.set(`${index}/${claim}`, index);
    };
    await trial.destination.call('setBehaviour', slowResponses);
    for (let round = 0; round < rounds[trial.timing.form]; round += 1) {
      await sleep(500 + random() * 2_000);
      const chosen: Injection[] = [];
      while (chosen.length < injectionsPerRound) {
        const injection = pick(allInjections(trial, random));
        if (chosen.every(({ target }) => target !== injection.target)) chosen.push(injection);
      }
      await Promise.all(chosen.map(({ inject }) => inject(noteClaims)));
    }
    return mayRepeat({
      indexes: claims.values(),
      of: 'claims of affected workers',
      endedAtMs: monotonicMs(),
    });
  };
}

function allInjections(trial: Trial, random: () => number): Injection[] {
  const { workers, api, postgres, rabbitmq } = trial;
  const sleepRandomly = () => sleep(500 + random() * maxFaultMs);
  const isWorker = (target: ManagedProcess) => workers.some(({ name }) => name === target.name);
  const kill = (target: ManagedProcess): Injection => ({
    target: target.name,
    async inject(noteClaims) {
      target.signal('SIGKILL');
      await target.exited();
      const pid = target.pid();
      await Promise.all([isWorker(target) && noteClaims(pid), target.restart()]);
    },
  });
  const restart = (target: ManagedProcess): Injection => ({
    target: target.name,
    async inject() {
      await target.stop();
      await target.restart();
    },
  });
  const stop = (target: ManagedProcess): Injection => ({
    target: target.name,
    async inject(noteClaims) {
      target.signal('SIGSTOP');
      const continued = sleepRandomly().then(() => target.signal('SIGCONT'));
      await Promise.all([isWorker(target) && noteClaims(target.pid()), continued]);
    },
  });
  const freeze = (target: ProxiedService): Injection => ({
    target: target.name,
    async inject(noteClaims) {
      const proxy = random() < 0.5 ? target.database : target.broker;
      proxy.freeze();
      const thawed = sleepRandomly().then(() => {
        if (random() < 0.5) proxy.cut();
        proxy.thaw();
      });
      // A worker without the broker still records its deliveries. Only a frozen database connection can prevent that.
      const mayLoseClaims = isWorker(target) && proxy === target.database;
      await Promise.all([mayLoseClaims && noteClaims(target.pid()), thawed]);
    },
  });
  return [
    ...[...workers, api].flatMap((service) => [kill(service), stop(service), freeze(service)]),
    ...[postgres, rabbitmq].flatMap((server) => [kill(server), restart(server)]),
  ];
}

/** Returns a random number generator (Mulberry32) that gives the same sequence for the same seed on every machine. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
