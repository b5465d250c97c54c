/** Faults in which workers have wrong `SECRETS_KEYS`, the keys that encrypt stored values. */

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { alertFiredQueue } from '@tocsin/messaging';
import { monotonicMs } from '../measure/clock.js';
import type { ProxiedService } from '../test-bed/services.js';
import { noRepeats, startLoad } from './exposure.js';
import type { Exposure, Trial } from './fault.js';
import { countUndecryptable } from './fault-records-reader.js';
import { readReadiness, untilReported } from './readiness.js';
import { countMessages } from './settle.js';
import { endCleanly } from './worker-faults.js';

/**
 * Limit for the growth of the log of a worker with wrong keys, in bytes. The worker logs one line of about 1 KB each
 * minute.
 */
const maxLogBytes = 20_000;
const watchEveryMs = 250;

/**
 * Restarts one worker with wrong keys, and then the other one too. This simulates a mistake in a roll-out. Finally
 * restores the correct keys. A worker with wrong keys must not be ready and must not consume messages.
 */
export async function useWrongKeys(trial: Trial): Promise<Exposure> {
  const { workers, rabbitmq } = trial;
  const [first, second] = workers as [ProxiedService, ProxiedService];
  await startLoad(trial);
  // The key of the first worker has the id of the correct key, but another value. The key of the second worker has
  // another id.
  const withOne = await restartWithKey(first, 'bench').then(() => watch(trial, [first]));
  const withBoth = await restartWithKey(second, 'other').then(() => watch(trial, workers));
  const problems = [
    ...findBroken(withOne),
    ...(withOne.requests > 0 ? [] : ['the worker with the right keys delivered nothing']),
    ...findBroken(withBoth),
  ];
  const waiting = (await countMessages(rabbitmq)).get(alertFiredQueue) ?? 0;
  await Promise.all(workers.map((worker) => endCleanly(worker).then(() => worker.restart())));
  return { ...noRepeats(waiting, 'alerts in the queue while no worker had the keys'), problems };
}

async function restartWithKey(worker: ProxiedService, id: string): Promise<void> {
  await endCleanly(worker);
  await worker.restartWith({ SECRETS_KEYS: `${id}:${randomBytes(32).toString('base64')}` });
  await untilReported([worker], 'SECRETS_KEYS');
}

interface Watched {
  /** Number of requests that reached the destination while one or both workers had wrong keys. */
  requests: number;
  /** Names of workers that were ready at some time although their keys were wrong. */
  ready: Set<string>;
  /** Maximum number of deliveries that waited at the same time with the reason `undecryptable`. */
  undecryptable: number;
  /** Growth of each worker log in bytes, by worker name. */
  logBytes: Map<string, number>;
}

async function watch(trial: Trial, wrong: ProxiedService[]): Promise<Watched> {
  const { destination, database, timing } = trial;
  const countRequests = async () => (await destination.call('progress', undefined)).requests;
  const logSize = (name: string) => readLogSize(trial.logFile(name));
  const requestsBefore = await countRequests();
  const logBefore = wrong.map(({ name }) => logSize(name));
  const ready = new Set<string>();
  let undecryptable = 0;
  for (const endMs = monotonicMs() + timing.wrongKeysMs; monotonicMs() < endMs; await sleep(watchEveryMs)) {
    for (const worker of wrong) if ((await readReadiness(worker)).status === 200) ready.add(worker.name);
    undecryptable = Math.max(undecryptable, await countUndecryptable(database));
  }
  return {
    requests: (await countRequests()) - requestsBefore,
    ready,
    undecryptable,
    logBytes: new Map(wrong.map(({ name }, index) => [name, logSize(name) - logBefore[index]!])),
  };
}

/**
 * Returns the size of a log without the lines about HTTP requests, because the suite itself causes these lines with its
 * requests of `/readyz`. The size is counted in characters, as an approximation of bytes.
 */
function readLogSize(file: string): number {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => !line.includes('"http.request"')).join('\n').length;
}

function findBroken({ ready, undecryptable, logBytes }: Watched): string[] {
  const large = [...logBytes].filter(([, bytes]) => bytes > maxLogBytes);
  return [
    ...[...ready].map((name) => `${name} was ready with wrong keys`),
    ...(undecryptable === 0 ? [] : [`${undecryptable} deliveries were undecryptable at a time`]),
    ...large.map(([name, bytes]) => `${name} logged ${bytes} bytes while its keys were wrong`),
  ];
}
