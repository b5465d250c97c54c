import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@tocsin/testing';
import { monotonicMs } from '../measure/clock.js';
import type { ServicePart } from '../test-bed/services.js';
import {
  atRisk,
  claimedByTheLost,
  claimedNow,
  claimsAreStuck,
  nothingAtRisk,
  underLoad,
} from './exposure.js';
import { countCommittedSince } from './records-reader.js';
import { type Exposure, patience, type Trial } from './trial.js';

const shutdownWithinMs = 20_000;

function firstWorker({ workers }: Trial): ServicePart {
  return workers[0]!;
}

/** `kill -9`; what its wires held is lost with it. */
async function kill(part: ServicePart): Promise<{ at: Date; atMs: number }> {
  part.signal('SIGKILL');
  await part.gone();
  const killed = { at: new Date(), atMs: monotonicMs() };
  for (const wire of [part.database, part.broker]) {
    wire.cut();
    wire.thaw();
  }
  return killed;
}

/** The statements that claim, by the names that they are prepared under. */
const claims = ['fan-out.write', 'delivery.claim'];

/** The claims are committed, but their answers have not come back. */
export async function killBeforePost(trial: Trial): Promise<Exposure> {
  const worker = firstWorker(trial);
  worker.database.freezeResponsesTo(...claims);
  await claimsAreStuck(trial);
  const { at, atMs } = await kill(worker);
  const { all, sent } = await claimedByTheLost(trial, at);
  await worker.revive();
  const exposure = atRisk(sent, 'claimed and not sent', atMs);
  return { ...exposure, inFlight: all.size - sent.size };
}

/** The destinations have answered, but no record reaches the database. */
export async function killBeforeCommit(trial: Trial): Promise<Exposure> {
  const worker = firstWorker(trial);
  await underLoad(trial);
  worker.database.freeze('to-server');
  await sleep(1_000);
  const { at, atMs } = await kill(worker);
  const { sent } = await claimedByTheLost(trial, at);
  await worker.revive();
  return atRisk(sent, 'sent and not recorded', atMs);
}

/** Alerts are taken over and deliveries recorded, but no acknowledgement of any worker reaches the broker. */
export async function killBeforeAck(trial: Trial): Promise<Exposure> {
  await underLoad(trial);
  for (const worker of trial.workers) worker.broker.freeze('to-server');
  const frozenAt = new Date();
  await sleep(1_500);
  const committed = await countCommittedSince(trial.database, frozenAt);
  const [first] = await Promise.all(trial.workers.map(kill));
  const { sent } = await claimedNow(trial);
  await Promise.all(trial.workers.map((worker) => worker.revive()));
  return { ...atRisk(sent, 'committed and not acknowledged', first!.atMs), inFlight: committed };
}

export async function killAllWorkers(trial: Trial): Promise<Exposure> {
  await underLoad(trial);
  const [first] = await Promise.all(trial.workers.map(kill));
  const { all, sent } = await claimedNow(trial);
  await sleep(1_000);
  await Promise.all(trial.workers.map((worker) => worker.revive()));
  return { ...atRisk(sent, 'claimed', first!.atMs), inFlight: all.size };
}

/** Its publications have left and are not confirmed. */
export async function killApi(trial: Trial): Promise<Exposure> {
  trial.api.broker.freeze('to-server');
  await sleep(700);
  const { inFlight } = await trial.doors.call('progress', undefined);
  const { atMs } = await kill(trial.api);
  await trial.api.revive();
  return nothingAtRisk(inFlight.rest, 'requests taken and not confirmed', atMs);
}

/** Its leases run out meanwhile and another sends what it held; then it wakes. */
export async function stopAndContinue(trial: Trial): Promise<Exposure> {
  const worker = firstWorker(trial);
  await underLoad(trial);
  worker.signal('SIGSTOP');
  const at = new Date();
  const { all } = await claimedByTheLost(trial, at);
  await sleep(trial.timing.stoppedMs);
  worker.signal('SIGCONT');
  return atRisk(all, 'claimed', monotonicMs());
}

/** A record that comes while another is sending the same delivery must change nothing but the list of attempts. */
export async function recordLate(trial: Trial): Promise<Exposure> {
  const worker = firstWorker(trial);
  await underLoad(trial, { repeatDelayMs: 8_000 });
  worker.database.freeze('to-server');
  const { sent } = await claimedByTheLost(trial, new Date());
  const isTakenOver = async () => {
    const { received, refused } = await trial.counter.call('arrivals', undefined);
    return [...sent].some((slot) => received[slot]! - refused[slot]! > 1);
  };
  if (sent.size > 0)
    await until('another has taken over', isTakenOver, {
      ...patience,
      timeoutMs: trial.timing.claimLeaseMs + 30_000,
    });
  worker.database.thaw();
  return atRisk(sent, 'sent and not recorded', monotonicMs());
}

/** Drained within its deadline, the rest handed back. */
export async function terminate(trial: Trial): Promise<Exposure> {
  const worker = firstWorker(trial);
  await underLoad(trial);
  const { all } = await claimedNow(trial);
  const askedAtMs = monotonicMs();
  worker.signal('SIGTERM');
  const { code, signal } = await worker.gone();
  const tookMs = monotonicMs() - askedAtMs;
  if (code !== 0 || tookMs > shutdownWithinMs)
    throw new Error(`${worker.name} ended with ${signal ?? code} after ${Math.round(tookMs)} ms.`);
  await worker.revive();
  return nothingAtRisk(all.size, 'claimed', askedAtMs);
}
