import { setTimeout as sleep } from 'node:timers/promises';
import { sequenceOf } from '../load/alert-ids.js';
import type { Offered } from '../load/publisher-main.js';
import type { RestAnswers } from '../load/rest-publisher.js';
import { monotonicMs } from '../measure/clock.js';
import { type Comparison, compare } from './compare.js';
import { type Stage, webhooksPerAlert } from './fault-test-bed.js';
import { judge } from './judge.js';
import { judgeAnswers } from './judge-answers.js';
import { type DeliveryRecord, readOpenState, readRecords } from './records-reader.js';
import { settle } from './settle.js';
import type { Exposure, Fault, Trial } from './trial.js';

/** One line of the table. */
export interface FaultResult extends Comparison {
  fault: string;
  exposure: Exposure;
  recoverySeconds: number;
  answers: RestAnswers;
  /** What makes the line red; none where all is well. */
  problems: string[];
}

const capacity = 60_000;
const trials = 3;

/**
 * Inflicts a fault under load and compares. A run in which nothing was in flight shows nothing and is repeated. Throws
 * where a part did not do as it was told, or did not come back.
 */
export async function runFault(stage: Stage, fault: Fault): Promise<FaultResult> {
  for (let trial = 1; ; trial += 1) {
    const result = await tryFault(stage, fault);
    if (result.exposure.inFlight > 0 || result.problems.length > 0) return result;
    stage.say(`  ${fault.name}: nothing was in flight (${result.exposure.of})`);
    if (trial === trials) return { ...result, problems: ['nothing was in flight'] };
  }
}

async function tryFault(stage: Stage, fault: Fault): Promise<FaultResult> {
  const { timing, scene, counter, doors, database } = stage;
  const run = stage.nextRun();
  const trial: Trial = { ...stage, run };
  // A second of grace: the ids' time is rounded.
  const sinceMs = Date.now() - 1_000;
  for (const part of [...stage.workers, stage.api]) part.newLog();
  await counter.call('begin', { run, capacity, webhooks: webhooksPerAlert });
  await doors.call('begin', {
    run,
    workspaceId: scene.workspaceId,
    alertRuleId: scene.alertRuleId,
    capacity,
    perSecond: timing.perSecond,
    amqpUrl: stage.rabbitmq.url,
    alertsUrl: `${stage.api.httpUrl}/api/v1/workspaces/${scene.workspaceId}/alerts`,
    token: stage.token,
  });
  await offeredAtLeast(trial, timing.alerts / 4);
  const exposure = await fault.inflict(trial);
  await counter.call('behave', {});
  await offeredAtLeast(trial, timing.alerts);
  await sleep(1_000);
  await doors.call('stop', undefined);
  const unsettled = await settle(trial);

  const offered = await doors.call('result', undefined);
  const records = await readRecords(database, { run, sinceMs });
  const arrivals = await counter.call('arrivals', undefined);
  const comparison = compare({
    run,
    webhookIds: scene.webhookIds,
    acceptedAtMs: offered.acceptedAtMs,
    arrivals,
    records,
    workersLived: !fault.strikesWorkers,
  });
  const recoverySeconds = recoveryOf({ exposure, offered, records });
  const { deadLetters, open } = await readOpenState(database, run);
  const { strays } = await counter.call('progress', undefined);
  const problems = [
    ...(unsettled === undefined ? [] : [unsettled]),
    ...judge(comparison, exposure),
    ...(recoverySeconds * 1_000 <= (fault.recoveryBoundMs ?? timing.recoveryBoundMs)
      ? []
      : ['recovering took too long']),
    ...judgeAnswers(offered.answers, fault),
    ...(deadLetters === 0 ? [] : [`${deadLetters} dead letters`]),
    ...(open === 0 ? [] : [`${open} deliveries are still open`]),
    ...(strays === 0 ? [] : [`${strays} requests that belong to no run of now`]),
    ...partsProblems(stage),
  ];
  return {
    fault: fault.name,
    ...comparison,
    exposure,
    recoverySeconds,
    answers: offered.answers,
    problems,
  };
}

async function offeredAtLeast({ doors }: Trial, alerts: number): Promise<void> {
  while ((await doors.call('progress', undefined)).offered.all < alerts) await sleep(50);
}

interface Recovery {
  exposure: Exposure;
  offered: Offered;
  records: DeliveryRecord[];
}

/** From the end of the fault until the last delivery of an alert that was offered before it was recorded. */
function recoveryOf({ exposure, offered, records }: Recovery): number {
  const monotonicToUnixMs = Date.now() - monotonicMs();
  let lastMs = exposure.endedAtMs;
  for (const { alertId, succeededAtMs } of records) {
    const offeredAtMs = offered.offeredAtMs[sequenceOf(alertId)] ?? Number.POSITIVE_INFINITY;
    if (offeredAtMs <= exposure.endedAtMs && succeededAtMs !== null)
      lastMs = Math.max(lastMs, succeededAtMs - monotonicToUnixMs);
  }
  return (lastMs - exposure.endedAtMs) / 1_000;
}

/** What nobody told to end must live, and what was taken from a queue must not be dropped with an error. */
function partsProblems({ workers, api, postgres, rabbitmq }: Stage): string[] {
  const died = [...workers, api, postgres, rabbitmq].flatMap((part) => part.diedByItself() ?? []);
  const complaints = [...workers, api].flatMap((part) =>
    part
      .newLog()
      .split('\n')
      .filter((line) => /service\.crashed|message\.failed|stopped_uncleanly/.test(line))
      .slice(0, 1)
      .map((line) => `${part.name}: ${line.slice(0, 300)}`),
  );
  return [...died, ...complaints];
}
