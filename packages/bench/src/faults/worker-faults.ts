import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@tocsin/testing';
import { monotonicMs } from '../measure/clock.js';
import type { ProxiedService } from '../test-bed/services.js';
import {
  type Claimed,
  mayRepeat,
  noRepeats,
  readCurrentClaims,
  readLostClaims,
  startLoad,
  waitForStuckClaim,
} from './exposure.js';
import { type Exposure, recoveryPolling, type Trial } from './fault.js';
import { countCommittedSince } from './fault-records-reader.js';

/** Limit for a shutdown in milliseconds. It is one second above the shutdown deadline of the services. */
const shutdownTimeoutMs = 26_000;

function firstWorker({ workers }: Trial): ProxiedService {
  return workers[0]!;
}

/** Kills the service with SIGKILL and drops the bytes that its proxies have buffered. */
async function kill(service: ProxiedService): Promise<{ pid: number; atMs: number }> {
  service.signal('SIGKILL');
  await service.exited();
  const killed = { pid: service.pid(), atMs: monotonicMs() };
  for (const proxy of [service.database, service.broker]) {
    proxy.cut();
    proxy.thaw();
  }
  return killed;
}

/** Names of the prepared statements that claim deliveries. */
export const claimStatements = ['fan-out.write', 'delivery.claim'];

/** Kills a worker after its claims are committed, but before it receives the responses to its claim statements. */
export async function killBeforePost(trial: Trial): Promise<Exposure> {
  const worker = firstWorker(trial);
  worker.database.freezeResponsesTo(...claimStatements);
  await waitForStuckClaim(trial, worker.pid());
  const { pid, atMs } = await kill(worker);
  const { all, sent } = await readLostClaims(trial, pid);
  await worker.restart();
  const exposure = mayRepeat({ indexes: sent, of: 'deliveries claimed and not sent', endedAtMs: atMs });
  return { ...exposure, inFlight: all.size - sent.size };
}

/** Kills a worker after its requests have succeeded, but before its records reach the database. */
export async function killBeforeCommit(trial: Trial): Promise<Exposure> {
  const worker = firstWorker(trial);
  await startLoad(trial);
  worker.database.freeze('to-server');
  await sleep(1_000);
  const { pid, atMs } = await kill(worker);
  const { sent } = await readLostClaims(trial, pid);
  await worker.restart();
  return mayRepeat({ indexes: sent, of: 'deliveries sent and not recorded', endedAtMs: atMs });
}

/**
 * Kills all workers after they have committed alerts and deliveries, but before the acknowledgements reach the broker.
 */
export async function killBeforeAck(trial: Trial): Promise<Exposure> {
  await startLoad(trial);
  for (const worker of trial.workers) worker.broker.freeze('to-server');
  const frozenAt = new Date();
  await sleep(1_500);
  const committed = await countCommittedSince(trial.database, frozenAt);
  const [first] = await Promise.all(trial.workers.map(kill));
  const { sent } = await readLostClaims(trial);
  await Promise.all(trial.workers.map((worker) => worker.restart()));
  const exposure = mayRepeat({
    indexes: sent,
    of: 'messages committed and not acknowledged',
    endedAtMs: first!.atMs,
  });
  return { ...exposure, inFlight: committed };
}

export async function killAllWorkers(trial: Trial): Promise<Exposure> {
  await startLoad(trial);
  const { all, sent, atMs } = await killAndRestartAll(trial);
  const exposure = mayRepeat({ indexes: sent, of: 'claimed deliveries', endedAtMs: atMs });
  return { ...exposure, inFlight: all.size };
}

const kills = 3;
const killIntervalMs = 12_000;

/** Kills all workers three times at intervals of 12 s, so that a delivery can be in flight at more than one kill. */
export async function killAllWorkersRepeatedly(trial: Trial): Promise<Exposure> {
  await startLoad(trial);
  const indexes: number[] = [];
  let inFlight = 0;
  let endedAtMs = 0;
  for (let count = 1; count <= kills; count += 1) {
    const { all, sent, atMs } = await killAndRestartAll(trial);
    indexes.push(...sent);
    inFlight += all.size;
    endedAtMs = atMs;
    if (count < kills) await sleep(atMs + killIntervalMs - monotonicMs());
  }
  return { ...mayRepeat({ indexes, of: 'claimed deliveries', endedAtMs }), inFlight };
}

async function killAndRestartAll(trial: Trial): Promise<Claimed & { atMs: number }> {
  const [first] = await Promise.all(trial.workers.map(kill));
  const claimed = await readLostClaims(trial);
  await Promise.all(trial.workers.map((worker) => worker.restart()));
  return { ...claimed, atMs: first!.atMs };
}

/** Kills the API while its published messages wait for publisher confirms from the broker. */
export async function killApi(trial: Trial): Promise<Exposure> {
  trial.api.broker.freeze('to-server');
  await sleep(700);
  const { inFlight } = await trial.generator.call('progress', trial.run);
  const { atMs } = await kill(trial.api);
  await trial.api.restart();
  return noRepeats(inFlight.rest, 'requests not confirmed', atMs);
}

/** Suspends a worker for longer than its lease, so that other workers send its deliveries. Then resumes the worker. */
export async function stopAndContinue(trial: Trial): Promise<Exposure> {
  const worker = firstWorker(trial);
  await startLoad(trial);
  worker.signal('SIGSTOP');
  const { all } = await readLostClaims(trial, worker.pid());
  await sleep(trial.timing.stoppedMs);
  worker.signal('SIGCONT');
  return mayRepeat({ indexes: all, of: 'claimed deliveries', endedAtMs: monotonicMs() });
}

/**
 * Delays the records of a worker that has sent deliveries, until another worker has sent one of these deliveries again.
 * The late records may add attempts, but must not change the deliveries.
 */
export async function recordLate(trial: Trial): Promise<Exposure> {
  const worker = firstWorker(trial);
  await startLoad(trial, { repeatDelayMs: 8_000 });
  worker.database.freeze('to-server');
  const { sent } = await readLostClaims(trial, worker.pid());
  const isSentAgain = async () => {
    const { received, rejected } = await trial.destination.call('arrivals', undefined);
    return [...sent].some((index) => received[index]! - rejected[index]! > 1);
  };
  if (sent.size > 0) await until('another worker has sent a delivery again', isSentAgain, recoveryPolling);
  worker.database.thaw();
  return mayRepeat({ indexes: sent, of: 'deliveries sent and not recorded', endedAtMs: monotonicMs() });
}

/**
 * Sends SIGTERM to a worker. It must finish its requests within the shutdown deadline and return all other messages to
 * the broker.
 */
export async function terminate(trial: Trial): Promise<Exposure> {
  const worker = firstWorker(trial);
  await startLoad(trial);
  const { all } = await readCurrentClaims(trial);
  const signalledAtMs = monotonicMs();
  await endCleanly(worker);
  await worker.restart();
  return noRepeats(all.size, 'claimed deliveries', signalledAtMs);
}

/**
 * Sends SIGTERM to a worker and waits until its process has ended.
 * @throws Error if the worker does not stop cleanly within 26 s
 */
export async function endCleanly(worker: ProxiedService): Promise<void> {
  const signalledAtMs = monotonicMs();
  worker.signal('SIGTERM');
  const { code, signal } = await worker.exited();
  const tookMs = monotonicMs() - signalledAtMs;
  if (code !== 0 || tookMs > shutdownTimeoutMs)
    throw new Error(`${worker.name} ended with ${signal ?? code} after ${Math.round(tookMs)} ms.`);
}
