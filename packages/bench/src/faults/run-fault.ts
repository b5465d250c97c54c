import { setTimeout as sleep } from 'node:timers/promises';
import { sequenceOf } from '../load/alert-ids.js';
import type { LoadResult } from '../load/load-run.js';
import type { RestResponses } from '../load/rest-publisher.js';
import { monotonicMs } from '../measure/clock.js';
import { type Comparison, compare } from './compare.js';
import type { Exposure, Fault, Trial } from './fault.js';
import { type DeliveryRecord, readOpenState, readRecords } from './fault-records-reader.js';
import { type FaultTestBed, webhooksPerAlert } from './fault-test-bed.js';
import { findDeliveryViolations, findLogViolations, findResponseViolations } from './find-violations.js';
import { settle } from './settle.js';

/** One row of the result table. */
export interface FaultResult extends Comparison {
  fault: string;
  exposure: Exposure;
  recoverySeconds: number;
  pauses: Pauses;
  responses: RestResponses;
  /** One sentence for each broken promise. Empty if the fault passed. */
  problems: string[];
}

/** Maximum number of alerts in a run. It determines the length of the arrays that count requests. */
const maxAlerts = 60_000;
const maxTrials = 3;
/** The destination rejects every 50th delivery once, so that retries are in progress all the time. */
const rejectOneIn = 50;

/**
 * Injects a fault under load and checks the promises. A run without affected work and without problems proves nothing,
 * so it is repeated up to two times.
 * @throws Error if a process did not stop or did not start again
 */
export async function runFault(testBed: FaultTestBed, fault: Fault): Promise<FaultResult> {
  for (let trial = 1; ; trial += 1) {
    const result = await runTrial(testBed, fault);
    if (result.exposure.inFlight > 0 || result.problems.length > 0) return result;
    testBed.print(`  ${fault.name}: the fault had no effect (0 ${result.exposure.of})`);
    if (trial === maxTrials) return { ...result, problems: ['the fault had no effect'] };
  }
}

async function runTrial(testBed: FaultTestBed, fault: Fault): Promise<FaultResult> {
  const { timing, fixtures, destination, generator, database } = testBed;
  const run = testBed.nextRun();
  const trial: Trial = { ...testBed, run };
  // Lower bound of the times in record ids. It is one second early, because the time in an id is rounded.
  const sinceMs = Date.now() - 1_000;
  for (const service of [...testBed.workers, testBed.api]) service.takeNewLog();
  await destination.call('startRun', { run, alerts: maxAlerts, webhooks: webhooksPerAlert, rejectOneIn });
  await generator.call('start', {
    run,
    target: fixtures,
    alerts: maxAlerts,
    alertsPerSecond: fault.alertsPerSecond ?? timing.alertsPerSecond,
    rest: {
      url: `${testBed.api.httpUrl}/api/v1/workspaces/${fixtures.workspaceId}/alerts`,
      token: testBed.token,
    },
  });
  await waitUntilOffered(trial, timing.alerts / 4);
  const exposure = await fault.inject(trial);
  await destination.call('setBehaviour', {});
  await waitUntilOffered(trial, timing.alerts);
  await sleep(1_000);
  await generator.call('stop', run);
  const unsettled = await settle(trial);

  const load = await generator.call('end', run);
  const records = await readRecords(database, { run, sinceMs });
  const comparison = compare({
    run,
    webhookIds: fixtures.webhookIds,
    acceptedAtMs: load.acceptedAtMs,
    arrivals: await destination.call('arrivals', undefined),
    records,
    allRequestsRecorded: !fault.affectsWorkers,
  });
  const recoverySeconds = recoveryOf({ exposure, load, records });
  const pauses = pausesOf(load, records);
  const responses = load.responses!;
  const { deadLetters, open } = await readOpenState(database, run);
  const { unexpected } = await destination.call('progress', undefined);
  const problems = [
    ...(unsettled === undefined ? [] : [unsettled]),
    ...findDeliveryViolations(comparison, exposure),
    ...(recoverySeconds * 1_000 <= (fault.recoveryLimitMs ?? timing.recoveryLimitMs)
      ? []
      : ['recovery took too long']),
    ...findResponseViolations(responses, fault),
    ...(exposure.problems ?? []),
    ...(deadLetters === 0 ? [] : [`${deadLetters} dead letters`]),
    ...(open === 0 ? [] : [`${open} deliveries are still open`]),
    ...(unexpected === 0 ? [] : [`${unexpected} requests of other runs`]),
    ...findProcessProblems(testBed, fault),
  ];
  return { fault: fault.name, ...comparison, exposure, recoverySeconds, pauses, responses, problems };
}

async function waitUntilOffered({ generator, run }: Trial, alerts: number): Promise<void> {
  while ((await generator.call('progress', run)).offered < alerts) await sleep(50);
}

interface Recovery {
  exposure: Exposure;
  load: LoadResult;
  records: DeliveryRecord[];
}

/**
 * Returns the recovery time in seconds: the time from the end of the fault to the last success of a delivery whose
 * alert was published before the fault ended. It is 0 if all these deliveries succeeded before the end.
 */
function recoveryOf({ exposure, load, records }: Recovery): number {
  const monotonicToUnixMs = Date.now() - monotonicMs();
  let lastMs = exposure.endedAtMs;
  for (const { alertId, succeededAtMs } of records) {
    const offeredAtMs = load.offeredAtMs[sequenceOf(alertId)] ?? Number.POSITIVE_INFINITY;
    if (offeredAtMs <= exposure.endedAtMs && succeededAtMs !== null)
      lastMs = Math.max(lastMs, succeededAtMs - monotonicToUnixMs);
  }
  return (lastMs - exposure.endedAtMs) / 1_000;
}

/**
 * Two durations in milliseconds, measured while alerts were published: the longest period in which no alert was
 * confirmed to the publisher, and the longest period in which no delivery succeeded.
 */
interface Pauses {
  acceptMs: number;
  deliverMs: number;
}

function pausesOf({ offeredAtMs, acceptedAtMs }: LoadResult, records: DeliveryRecord[]): Pauses {
  const [firstMs = 0, lastMs = 0] = [offeredAtMs.at(0), offeredAtMs.at(-1)];
  const monotonicToUnixMs = Date.now() - monotonicMs();
  const longest = (timesMs: number[]) => {
    const within = timesMs.filter((atMs) => atMs >= firstMs && atMs <= lastMs);
    const sorted = [...within, lastMs].sort((a, b) => a - b);
    return sorted.reduce((max, atMs, index) => Math.max(max, atMs - (sorted[index - 1] ?? firstMs)), 0);
  };
  return {
    acceptMs: longest([...acceptedAtMs]),
    deliverMs: longest(
      records.flatMap(({ succeededAtMs }) => (succeededAtMs ?? Number.NaN) - monotonicToUnixMs),
    ),
  };
}

/** Returns a problem for each service or server that ended unexpectedly, and for each service that logged a failure. */
function findProcessProblems(testBed: FaultTestBed, fault: Fault): string[] {
  const { workers, api, postgres, rabbitmq } = testBed;
  const exits = [...workers, api, postgres, rabbitmq].flatMap((child) => child.unexpectedExit() ?? []);
  const logged = [...workers, api].flatMap((service) =>
    findLogViolations(service.name, service.takeNewLog(), fault),
  );
  return [...exits, ...logged];
}
