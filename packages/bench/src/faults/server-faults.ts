import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '@tocsin/testing';
import { monotonicMs } from '../measure/clock.js';
import type { ManagedProcess } from '../test-bed/managed-process.js';
import type { ProxiedService } from '../test-bed/services.js';
import { delayedAlerts, noRepeats, readUnrecordedClaims, startLoad } from './exposure.js';
import type { Exposure, Trial } from './fault.js';

type ChooseServers = (trial: Trial) => ManagedProcess[];
type Inject = (trial: Trial) => Promise<Exposure>;

const diskAlarmMs = 10_000;
/**
 * Downtime of a server in milliseconds. The API can publish alerts for up to 1 s without the database. The downtime is
 * longer, so that alerts are delayed.
 */
const downtimeMs = 2_000;

/** Stops servers cleanly and starts them again. */
export function restart(choose: ChooseServers): Inject {
  return (trial) => takeDown(trial, choose(trial), (server) => server.stop());
}

/** Kills servers with SIGKILL and starts them again. */
export function killAndRestart(choose: ChooseServers): Inject {
  return (trial) =>
    takeDown(trial, choose(trial), async (server) => {
      server.signal('SIGKILL');
      await server.exited();
    });
}

async function takeDown(
  trial: Trial,
  servers: ManagedProcess[],
  end: (server: ManagedProcess) => Promise<void>,
): Promise<Exposure> {
  await startLoad(trial);
  const sinceMs = monotonicMs();
  await Promise.all(servers.map(end));
  await sleep(downtimeMs);
  await Promise.all(servers.map((server) => server.restart()));
  return delayedAlerts(trial, { sinceMs });
}

/**
 * Freezes all connections between services and database without closing them, for `times` times the usual duration. If
 * the freeze is longer than every timeout, the services repeat the statements that timed out. The database then
 * executes the original statement and its repetition. With `cut`, the connections are cut at the end of the freeze.
 */
export function freezeDatabase({ times = 1, cut = false } = {}): Inject {
  return async (trial) => {
    await startLoad(trial);
    const proxies = proxiesOf(trial, (service) => service.database);
    const frozen = sleep(times * trial.timing.frozenMs);
    for (const proxy of proxies) proxy.freeze();
    const { all } = await readUnrecordedClaims(trial);
    await frozen;
    for (const proxy of proxies) {
      if (cut) proxy.cut();
      proxy.thaw();
    }
    return noRepeats(all.size, 'deliveries claimed and not recorded');
  };
}

/** Freezes all connections between services and broker. Workers finish the deliveries that they have claimed before. */
export async function freezeBroker(trial: Trial): Promise<Exposure> {
  await startLoad(trial);
  const proxies = proxiesOf(trial, (service) => service.broker);
  const sinceMs = monotonicMs();
  for (const proxy of proxies) proxy.freeze();
  await sleep(trial.timing.frozenMs);
  for (const proxy of proxies) proxy.thaw();
  return delayedAlerts(trial, { sinceMs });
}

function proxiesOf({ api, workers }: Trial, choose: (service: ProxiedService) => TcpProxy): TcpProxy[] {
  return [api, ...workers].map(choose);
}

/** Triggers the broker's disk alarm, which blocks publishers. A nearly full disk would have the same effect. */
export async function fillDisk(trial: Trial): Promise<Exposure> {
  const sinceMs = monotonicMs();
  await trial.rabbitmq.control('set_disk_free_limit', '1000000GB');
  await sleep(diskAlarmMs);
  await trial.rabbitmq.control('set_disk_free_limit', '50MB');
  return delayedAlerts(trial, { sinceMs });
}
