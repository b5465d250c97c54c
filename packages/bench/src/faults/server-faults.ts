import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../measure/clock.js';
import { atRisk, claimedNow, countInFlight, nothingAtRisk, underLoad } from './in-flight.js';
import type { Part } from './part.js';
import type { TcpProxy } from './tcp-proxy.js';
import type { Exposure, Trial } from './trial.js';

const alarmMs = 10_000;

/** Stops servers as their operator would, and starts them again. */
export function restart(choose: (trial: Trial) => Part[]): (trial: Trial) => Promise<Exposure> {
  return (trial) => takeDown(trial, choose(trial), (part) => part.stop());
}

/** `kill -9`, then starts them again. */
export function killAndRestart(choose: (trial: Trial) => Part[]): (trial: Trial) => Promise<Exposure> {
  return (trial) =>
    takeDown(trial, choose(trial), async (part) => {
      part.signal('SIGKILL');
      await part.gone();
    });
}

async function takeDown(trial: Trial, parts: Part[], down: (part: Part) => Promise<void>): Promise<Exposure> {
  const inFlight = await underLoad(trial);
  await Promise.all(parts.map(down));
  await Promise.all(parts.map((part) => part.revive()));
  return nothingAtRisk(inFlight);
}

interface Freeze {
  choose: (part: Trial['api']) => TcpProxy;
  /** As often as long. */
  times: number;
  /** What was held is lost with its connections, instead of passing after all. */
  cut: boolean;
}

/**
 * Nothing passes between the services and their database for a while, and nobody is told. What outlasts every limit of
 * theirs is worse: they have given their statements up, and yet these arrive, beside those that repeat them.
 */
export function freezeDatabase({ times = 1, cut = false } = {}): (trial: Trial) => Promise<Exposure> {
  return async (trial) => {
    const { all } = await freeze(trial, { choose: (part) => part.database, times, cut });
    return atRisk(all, 'claimed', monotonicMs());
  };
}

/** The same between the services and their broker. Who has claimed a delivery goes on with it. */
export async function freezeBroker(trial: Trial): Promise<Exposure> {
  const { inFlight } = await freeze(trial, { choose: (part) => part.broker, times: 1, cut: false });
  return nothingAtRisk(inFlight);
}

async function freeze(trial: Trial, { choose, times, cut }: Freeze) {
  const inFlight = await underLoad(trial);
  const wires = [trial.api, ...trial.workers].map(choose);
  for (const wire of wires) wire.freeze();
  const { all } = await claimedNow(trial);
  await sleep(times * trial.timing.frozenMs);
  for (const wire of wires) {
    if (cut) wire.cut();
    wire.thaw();
  }
  return { inFlight, all };
}

/** The broker refuses to take messages, as it does when its disk is nearly full. */
export async function fillDisk(trial: Trial): Promise<Exposure> {
  await trial.rabbitmq.control('set_disk_free_limit', '1000000GB');
  await sleep(alarmMs);
  const inFlight = await countInFlight(trial);
  await trial.rabbitmq.control('set_disk_free_limit', '50MB');
  return nothingAtRisk(inFlight);
}
