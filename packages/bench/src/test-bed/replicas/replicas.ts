import type { Servers, ServersOptions } from '../servers.js';
import { startBalancer } from './balancer.js';
import { type BrokerCluster, startBrokerCluster } from './broker-cluster.js';
import { type DatabasePair, startDatabasePair } from './database-pair.js';

/** Replicated servers behind a load balancer. For services, they look like single servers. */
export interface Replicas extends Servers {
  brokers: BrokerCluster;
  databases: DatabasePair;
}

export async function startReplicas(options: ServersOptions): Promise<Replicas> {
  const [brokers, databases] = await Promise.all([startBrokerCluster(options), startDatabasePair(options)]);
  const balancer = await startBalancer(options, { brokers, databases });
  const unexpectedExit = (processes: { unexpectedExit(): string | undefined }[]) => () =>
    processes.map((process) => process.unexpectedExit()).find((exit) => exit !== undefined);
  return {
    brokers,
    databases,
    postgres: {
      ...databases.nodes[0],
      url: balancer.databaseUrl,
      unexpectedExit: unexpectedExit(databases.nodes),
      async stop() {
        await balancer.stop();
        await databases.stop();
      },
    },
    rabbitmq: {
      ...brokers.nodes[0]!,
      url: balancer.amqpUrl,
      unexpectedExit: unexpectedExit(brokers.nodes),
      stop: brokers.stop,
    },
  };
}
