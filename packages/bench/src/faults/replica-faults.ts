/** Faults of replicated servers: servers are killed with SIGKILL under load, and the others continue their work. */

import { setTimeout as sleep } from 'node:timers/promises';
import { alertFiredQueue } from '@tocsin/messaging';
import { monotonicMs } from '../measure/clock.js';
import type { ManagedProcess } from '../test-bed/managed-process.js';
import type { BrokerNode } from '../test-bed/replicas/broker-cluster.js';
import type { DatabasePair } from '../test-bed/replicas/database-pair.js';
import type { Replicas } from '../test-bed/replicas/replicas.js';
import { delayedAlerts, noRepeats, readUnrecordedClaims, startLoad } from './exposure.js';
import type { Exposure, Trial } from './fault.js';

/** Time before a killed broker node or standby is started again, in milliseconds. */
const absenceMs = 10_000;
/**
 * Time before a failed primary is replaced, in milliseconds, as if three checks had failed at intervals of one second.
 */
const detectionMs = 3_000;

/** Kills the broker node that leads the queue of alerts, and starts it again after 10 s. */
export function killBrokerLeader(trial: Trial): Promise<Exposure> {
  return failOver(trial, async ({ brokers }) => {
    const leader = await brokers.leaderOf(alertFiredQueue);
    return {
      kill: () => kill(leader),
      repair: () => bringBack([leader], brokers.untilComplete),
    };
  });
}

/** Kills each broker node in sequence. The next node is killed when the previous one is running again. */
export function killAllBrokers(trial: Trial): Promise<Exposure> {
  return failOver(trial, async ({ brokers }) => {
    const [first, ...others] = brokers.nodes;
    return {
      kill: () => kill(first!),
      async repair() {
        await bringBack([first!], brokers.untilComplete);
        for (const node of others) {
          await kill(node);
          await bringBack([node], brokers.untilComplete);
        }
      },
    };
  });
}

/**
 * Kills the synchronous standby, and starts it again after 10 s. Every commit waits until the standby is running again.
 * The API still publishes alerts meanwhile. The function therefore does not count delayed alerts, but deliveries that
 * workers have claimed and cannot record.
 */
export async function killStandby(trial: Trial): Promise<Exposure> {
  const standby = replicasOf(trial).databases.standby();
  await startLoad(trial);
  const killedAtMs = monotonicMs();
  await kill(standby);
  const { all } = await readUnrecordedClaims(trial);
  await bringBack([standby]);
  return noRepeats(all.size, 'deliveries claimed and not recorded', killedAtMs);
}

/** Kills the primary, promotes the standby, and then makes the former primary a standby. */
export function killPrimary(trial: Trial): Promise<Exposure> {
  return failOver(trial, async ({ databases }) => ({
    kill: () => kill(databases.primary()),
    failOver: () => promote(databases),
    repair: databases.rebuildStandby,
  }));
}

export function killPrimaryAndBrokerLeader(trial: Trial): Promise<Exposure> {
  return failOver(trial, async ({ brokers, databases }) => {
    const leader: BrokerNode = await brokers.leaderOf(alertFiredQueue);
    return {
      kill: () => Promise.all([kill(databases.primary()), kill(leader)]),
      failOver: () => promote(databases),
      repair: () => Promise.all([databases.rebuildStandby(), bringBack([leader], brokers.untilComplete)]),
    };
  });
}

interface Failover {
  kill(): Promise<unknown>;
  /** Replaces the failed primary database by the standby. Undefined if only brokers fail, which need no such step. */
  failOver?(): Promise<unknown>;
  /** Starts the failed servers again. In `killAllBrokers`, it also kills and restarts the other nodes. */
  repair(): Promise<unknown>;
}

/** Injects a failover under load. No worker process ends, so no request may be repeated. */
async function failOver(trial: Trial, plan: (replicas: Replicas) => Promise<Failover>): Promise<Exposure> {
  const steps = await plan(replicasOf(trial));
  await startLoad(trial);
  const killedAtMs = monotonicMs();
  await steps.kill();
  await steps.failOver?.();
  await steps.repair();
  const exposure = await delayedAlerts(trial, { sinceMs: killedAtMs, minimumMs: 100 });
  return { ...exposure, endedAtMs: killedAtMs };
}

function replicasOf({ replicas }: Trial): Replicas {
  if (replicas === undefined) throw new Error('This fault needs replicated servers.');
  return replicas;
}

async function kill(server: ManagedProcess): Promise<void> {
  server.signal('SIGKILL');
  await server.exited();
}

async function bringBack(servers: ManagedProcess[], untilComplete?: () => Promise<void>): Promise<void> {
  await sleep(absenceMs);
  await Promise.all(servers.map((server) => server.restart()));
  await untilComplete?.();
}

async function promote(databases: DatabasePair): Promise<void> {
  await sleep(detectionMs);
  await databases.promote();
}
