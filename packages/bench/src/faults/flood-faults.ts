/**
 * Floods: one or two workspaces publish many alerts at the same time. The message of each alert contains a rule that is
 * not registered in Tocsin, and this rule names webhooks that do not exist.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadResult } from '../load/load-run.js';
import { startLoadGenerator } from '../load/start-load-generator.js';
import { monotonicMs } from '../measure/clock.js';
import { readRetryDelays } from '../measure/retry-delays-reader.js';
import { waitFor } from '../measure/wait-for.js';
import { noRepeats } from './exposure.js';
import type { Exposure, Trial } from './fault.js';
import { deleteFlood, readFloodState } from './fault-records-reader.js';
import { firstRetryMs } from './timing.js';

interface FloodOptions {
  /** Number of workspaces that publish the flood at the same time. All publish the same number of alerts. */
  workspaces: number;
  /** True to publish every second alert over REST. The API must reject it with 422: its webhooks do not exist. */
  overRest: boolean;
}

/** Maximum number of webhooks that an alert message may name. */
const webhooksPerAlert = 20;
/** Time after the flood in which workers can still send delayed retries of another workspace, in milliseconds. */
const lateRetriesMs = 3_000;

/**
 * Returns a fault in which one or two workspaces publish many alerts at once (a flood). The fault waits until workers
 * have committed these alerts. Then it checks their deliveries, and the retries of a workspace without a flood.
 */
export function flood(options: FloodOptions): (trial: Trial) => Promise<Exposure> {
  return async (trial) => {
    const { database, timing } = trial;
    const targets = Array.from({ length: options.workspaces }, () => ({
      workspaceId: randomUUID(),
      alertRuleId: randomUUID(),
    }));
    const workspaceIds = targets.map(({ workspaceId }) => workspaceId);
    const fromMs = Date.now();
    const results = await publish(trial, targets, {
      ...options,
      alerts: timing.floodAlerts / options.workspaces,
    });
    const statuses = results.flatMap(({ responses }) => Object.entries(responses?.byStatus ?? {}));
    const accepted = timing.floodAlerts - countOf(statuses, '422');
    const state = () => readFloodState(database, { workspaceIds, sinceMs: fromMs - 1_000 });
    await waitFor({
      description: `of ${accepted} alerts of the flood are written`,
      count: async () => (await state()).alerts,
      isReached: (written) => written >= accepted,
      intervalMs: 250,
    });
    const endedAtMs = monotonicMs();
    const toMs = Date.now();
    const written = await state();
    // No delivery of the flood may be open. If some are open because of a defect, workers would need up to half an hour
    // to end them, so their rows are deleted.
    await deleteFlood(database, workspaceIds);
    await sleep(lateRetriesMs);
    const period = { run: trial.run, fromMs, toMs, scheduledMs: firstRetryMs };
    const delaysMs = await readRetryDelays(database, period);
    return {
      ...noRepeats(delaysMs.length, 'retries of another workspace', endedAtMs),
      problems: findProblems({ ...written, expected: accepted * webhooksPerAlert, delaysMs, statuses }),
    };
  };
}

/** Numbers of responses by status. */
type Statuses = [status: string, count: number][];

interface FloodEvidence {
  /**
   * Numbers of deliveries of the flood: `open` ones, and `ended` ones, which were written as failed. `expected` is the
   * required value of `ended`: the number of deliveries of all alerts that the API did not reject with 422.
   */
  open: number;
  ended: number;
  expected: number;
  delaysMs: number[];
  statuses: Statuses;
}

/**
 * Limit for the delay of another workspace's retries, in milliseconds. It is higher than the limit of 1 s in the
 * isolation suite, because this suite also runs on busy machines. Without the measures of docs/adr/0031, retries are 8
 * to 33 s late.
 */
const maxRetryDelayMs = 5_000;

function findProblems({ open, ended, expected, delaysMs, statuses }: FloodEvidence): string[] {
  const late = delaysMs.filter((delayMs) => delayMs > maxRetryDelayMs);
  const slowestMs = Math.round(Math.max(0, ...late));
  const unexpected = statuses.filter(([status]) => status !== '422' && status !== '503');
  return [
    ...(late.length === 0 ? [] : [`${late.length} retries of others were late, by at most ${slowestMs} ms`]),
    ...(open === 0 ? [] : [`${open} deliveries of unknown webhooks were open`]),
    ...(ended === expected ? [] : [`${ended} of ${expected} deliveries of unknown webhooks were ended`]),
    ...unexpected.map(([status, count]) => `the API returned ${status} to the flood, ${count} times`),
  ];
}

function countOf(statuses: Statuses, wanted: string): number {
  return statuses.reduce((sum, [status, count]) => (status === wanted ? sum + count : sum), 0);
}

interface FloodLoad extends FloodOptions {
  /** Number of alerts of each workspace. */
  alerts: number;
}

/**
 * Maximum number of unconfirmed alerts of each workspace, if every second alert is published over REST. A fixed rate
 * would need more CPU than a slow machine has, and requests would then wait until they time out.
 */
const mixedUnconfirmed = 100;

/** Publishes the flood. Resolves when every alert is confirmed over AMQP or rejected over REST. */
async function publish(
  { rabbitmq, api, adminToken, nextRun }: Trial,
  targets: { workspaceId: string; alertRuleId: string }[],
  { alerts, overRest }: FloodLoad,
): Promise<LoadResult[]> {
  // The flood has a separate load generator, so that alerts of the other workspace do not wait for the confirms of the
  // flood.
  const generator = await startLoadGenerator(rabbitmq.url);
  try {
    return await Promise.all(
      targets.map((target) => {
        const url = `${api.httpUrl}/api/v1/workspaces/${target.workspaceId}/alerts`;
        return generator.call('publishAll', {
          run: nextRun(),
          target,
          alerts,
          unknownWebhooks: webhooksPerAlert,
          ...(overRest && {
            maxUnconfirmed: mixedUnconfirmed,
            rest: { url, token: adminToken, expectedStatus: 422 },
          }),
        });
      }),
    );
  } finally {
    await generator.stop();
  }
}
