import { isPortFree } from '../processes/free-port.js';
import type { LauncherOptions } from './options.js';

export interface StackPorts {
  webhookApi: number;
  engineAuth: number;
  oidc: number;
  inbox: number;
  postgres: number;
  rabbitmq: number;
  epmd: number;
  erlangDistribution: number;
  webhookApiMetrics: number;
  engineAuthMetrics: number;
  workers: { health: number; metrics: number }[];
}

/** Assigns ports from `base` on: ports for users, internal ports, then two consecutive ports for each worker. */
export function layOutPorts(base: number, workers: number): StackPorts {
  return {
    webhookApi: base,
    engineAuth: base + 1,
    oidc: base + 2,
    inbox: base + 3,
    postgres: base + 4,
    rabbitmq: base + 5,
    epmd: base + 6,
    erlangDistribution: base + 7,
    webhookApiMetrics: base + 10,
    engineAuthMetrics: base + 11,
    workers: Array.from({ length: workers }, (_, index) => ({
      health: base + 20 + 2 * index,
      metrics: base + 21 + 2 * index,
    })),
  };
}

/** Returns the ports that these options need, by the name of the process. */
export function neededPorts(options: LauncherOptions, ports: StackPorts): Map<string, number> {
  return new Map([
    ['webhook-api', ports.webhookApi],
    ['engine-auth', ports.engineAuth],
    ['inbox', ports.inbox],
    ['metrics of webhook-api', ports.webhookApiMetrics],
    ['metrics of engine-auth', ports.engineAuthMetrics],
    ...(options.oidcIssuer === undefined ? ([['oidc', ports.oidc]] as const) : []),
    ...(options.databaseUrl === undefined ? ([['postgres', ports.postgres]] as const) : []),
    ...(options.amqpUrl === undefined
      ? ([
          ['rabbitmq', ports.rabbitmq],
          ['epmd of rabbitmq', ports.epmd],
          ['Erlang distribution of rabbitmq', ports.erlangDistribution],
        ] as const)
      : []),
    ...ports.workers.flatMap(
      ({ health, metrics }, index) =>
        [
          [`delivery-worker ${index + 1}`, health],
          [`metrics of delivery-worker ${index + 1}`, metrics],
        ] as const,
    ),
  ]);
}

/** Throws if a port is in use, with the name of the process that needs it. */
export async function requireFreePorts(needed: ReadonlyMap<string, number>): Promise<void> {
  const taken: string[] = [];
  for (const [part, port] of needed) {
    if (!(await isPortFree(port)))
      taken.push(`port ${port}, which ${part} needs, is in use by another program`);
  }
  if (taken.length === 0) return;
  throw new Error(`${taken.join('\n')}\nStop that program, or move all ports: PORT_BASE=9700 npm start`);
}
