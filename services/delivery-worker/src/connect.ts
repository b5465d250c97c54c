import { createDatabase, type Database } from '@tocsin/database';
import { createSender, parseCidrs, type Sender } from '@tocsin/egress';
import type { Logger, Shutdown } from '@tocsin/kit';
import { type Broker, createBroker } from '@tocsin/messaging';
import type { DeliveryWorkerConfig } from './config.js';
import { mendPartitions } from './housekeeping/mend-partitions.js';

export interface Connections {
  database: Database;
  /** Two, so that a broker that holds publishers back does not hold up acknowledgements (RabbitMQ's own advice). */
  publishing: Broker;
  consuming: Broker;
  sender: Sender;
}

/** Opens what the worker works on. Nothing waits for its server: readiness tells when database and broker are there. */
export async function openConnections(
  config: DeliveryWorkerConfig,
  { logger, shutdown }: { logger: Logger; shutdown: Shutdown },
): Promise<Connections> {
  const database = createDatabase({
    url: config.databaseUrl.reveal(),
    applicationName: 'tocsin-delivery-worker',
    poolSize: config.databasePoolSize,
    plansByKey: true,
    // A batch that meets a row which somebody has locked holds all its other rows as long as it waits.
    lockTimeoutMs: 2_000,
  });
  shutdown.add('database', () => database.close());
  const open = async (purpose: 'publish' | 'consume') => {
    const name = `delivery-worker ${purpose}`;
    const broker = await createBroker({ url: config.amqpUrl.reveal(), name, logger });
    shutdown.add(`broker (${purpose})`, () => broker.close());
    return broker;
  };
  const publishing = await open('publish');
  const consuming = await open('consume');
  const sender = openSender(config);
  shutdown.add('sender', () => sender.close());
  return { database: mendPartitions(database), publishing, consuming, sender };
}

function openSender({ egress, slots }: DeliveryWorkerConfig): Sender {
  return createSender({
    ...egress,
    allow: parseCidrs(egress.allow),
    // Under load every slot may go to one host: a connection closed after a burst is made anew for the next.
    maxIdlePerDestination: slots,
    maxIdle: 2 * slots,
  });
}
