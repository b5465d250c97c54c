import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '@tocsin/testing';
import { monotonicMs } from '../measure/clock.js';
import type { Part } from '../test-bed/managed-process.js';
import type { ServicePart } from '../test-bed/services.js';
import { alertsKeptWaiting, claimedByTheLost, nothingAtRisk, underLoad } from './exposure.js';
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
  await underLoad(trial);
  const sinceMs = monotonicMs();
  await Promise.all(parts.map(down));
  await Promise.all(parts.map((part) => part.revive()));
  // A server can be back in less than a second.
  return alertsKeptWaiting(trial, { sinceMs, forMs: 250 });
}

/**
 * Nothing passes between the services and their database for a while, and nobody is told. What outlasts every limit of
 * theirs is worse: they have given their statements up, and yet these arrive, beside those that repeat them.
 * @param times as often as long
 * @param cut what was held is lost with its connections, instead of passing after all
 */
export function freezeDatabase({ times = 1, cut = false } = {}): (trial: Trial) => Promise<Exposure> {
  return async (trial) => {
    await underLoad(trial);
    const wires = wiresOf(trial, (part) => part.database);
    const over = sleep(times * trial.timing.frozenMs);
    for (const wire of wires) wire.freeze();
    const { all } = await claimedByTheLost(trial, new Date());
    await over;
    for (const wire of wires) {
      if (cut) wire.cut();
      wire.thaw();
    }
    return nothingAtRisk(all.size, 'claimed and not recorded');
  };
}

/** The same between the services and their broker. Who has claimed a delivery goes on with it. */
export async function freezeBroker(trial: Trial): Promise<Exposure> {
  await underLoad(trial);
  const wires = wiresOf(trial, (part) => part.broker);
  const sinceMs = monotonicMs();
  for (const wire of wires) wire.freeze();
  await sleep(trial.timing.frozenMs);
  for (const wire of wires) wire.thaw();
  return alertsKeptWaiting(trial, { sinceMs });
}

function wiresOf({ api, workers }: Trial, choose: (part: ServicePart) => TcpProxy): TcpProxy[] {
  return [api, ...workers].map(choose);
}

/** The broker refuses to take messages, as it does when its disk is nearly full. */
export async function fillDisk(trial: Trial): Promise<Exposure> {
  const sinceMs = monotonicMs();
  await trial.rabbitmq.control('set_disk_free_limit', '1000000GB');
  await sleep(alarmMs);
  await trial.rabbitmq.control('set_disk_free_limit', '50MB');
  return alertsKeptWaiting(trial, { sinceMs });
}
