/** Floods of a tenant: alerts with a rule that is not registered and webhooks that do not exist. */

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
  /** Workspaces that flood at the same time and share the alerts. */
  workspaces: number;
  /** Publishes every second alert over REST, where it must be 422. */
  overRest: boolean;
}

/**
 * Limit on the delay of another workspace's retries, in milliseconds. The isolation suite measures the contract's limit of
 * one second; this suite also runs on busy machines. Without the protection, retries come 8 to 33 s late.
 */
const maxRetryDelayMs = 5_000;
/** Rate of each workspace that floods over REST too, so that half of its requests stay below the API's capacity. */
const restAlertsPerSecond = 300;
/** Limit of the contract on the webhooks of a rule. */
const webhooksPerAlert = 20;
/** Time in which a retry that is late comes. */
const lateRetriesMs = 3_000;

/** Publishes the flood and waits until it is written. */
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
    // Workers can take half an hour for the open rows of a flood.
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
  /** Deliveries of the flood: open, written as ended, and all that the accepted alerts name. */
  open: number;
  ended: number;
  expected: number;
  delaysMs: number[];
  statuses: Statuses;
}

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

/** Resolves when every alert is confirmed, or refused over REST. */
async function publish(
  { rabbitmq, api, adminToken, nextRun }: Trial,
  targets: { workspaceId: string; alertRuleId: string }[],
  { alerts, overRest }: FloodLoad,
): Promise<LoadResult[]> {
  // The other workspace must not wait for the confirms of the flood.
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
            alertsPerSecond: restAlertsPerSecond,
            rest: { url, token: adminToken, expectedStatus: 422 },
          }),
        });
      }),
    );
  } finally {
    await generator.stop();
  }
}
