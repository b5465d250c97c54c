import { createDatabase, type Database } from '@tocsin/database';
import { createSender, parseCidrs, type Sender } from '@tocsin/egress';
import type { Logger, Shutdown } from '@tocsin/kit';
import { type Broker, createBroker } from '@tocsin/messaging';
import type { DeliveryWorkerConfig } from './config.js';
import { createMissingPartitions } from './maintenance/create-missing-partitions.js';

export interface Connections {
  database: Database;
  /** Connections for the lease alone: a renewal never waits behind a batch. */
  leaseDatabase: Database;
  /** Separate connections, as RabbitMQ recommends: a block of publishers does not delay acknowledgements. */
  publishing: Broker;
  /** Deliveries have a connection of their own: a retry would wait for 32 MiB of alerts that the broker sends ahead of it. */
  consuming: { alerts: Broker; deliveries: Broker };
  sender: Sender;
}

/** A renewal on a connection that hangs does not delay the next one. */
const leaseConnections = 3;
const leaseTimeoutMs = 2_000;

/** Does not wait for the servers. `/readyz` reports whether database and broker are available. */
export async function openConnections(
  config: DeliveryWorkerConfig,
  { logger, shutdown }: { logger: Logger; shutdown: Shutdown },
): Promise<Connections> {
  const database = createDatabase({
    url: config.databaseUrl.reveal(),
    applicationName: 'tocsin-delivery-worker',
    poolSize: config.databasePoolSize,
    plansByKey: true,
    // Two seconds, because a batch that waits for a locked row delays all its other rows; after that it is undone and
    // split.
    lockTimeoutMs: 2_000,
  });
  shutdown.add('database', () => database.close());
  const leaseDatabase = createDatabase({
    url: config.databaseUrl.reveal(),
    applicationName: 'tocsin-delivery-worker lease',
    poolSize: leaseConnections,
    statementTimeoutMs: leaseTimeoutMs,
    acquireTimeoutMs: leaseTimeoutMs,
  });
  shutdown.add('lease database', () => leaseDatabase.close());
  const open = async (purpose: 'publish' | 'consume alerts' | 'consume deliveries') => {
    const name = `delivery-worker ${purpose}`;
    const broker = await createBroker({ url: config.amqpUrl.reveal(), name, logger });
    shutdown.add(`broker (${purpose})`, () => broker.close());
    return broker;
  };
  const publishing = await open('publish');
  const consuming = {
    alerts: await open('consume alerts'),
    deliveries: await open('consume deliveries'),
  };
  const sender = openSender(config);
  shutdown.add('sender', () => sender.close());
  return { database: createMissingPartitions(database), leaseDatabase, publishing, consuming, sender };
}

function openSender({ egress, slots }: DeliveryWorkerConfig): Sender {
  return createSender({
    ...egress,
    allow: parseCidrs(egress.allow),
    // All slots can be used for one host, and a connection that is closed after a burst is opened again for the next.
    maxIdlePerDestination: slots,
    maxIdle: 2 * slots,
  });
}
