import {
  classifyDatabaseError,
  createDatabase,
  type Database,
  ensurePartitions,
  readClock,
} from '@tocsin/database';
import { createSender, parseCidrs, type Sender } from '@tocsin/egress';
import type { Logger, Shutdown } from '@tocsin/kit';
import { type Broker, createBroker } from '@tocsin/messaging';
import type { DeliveryWorkerConfig } from './config.js';

export interface Connections {
  database: Database;
  /** Connections that only the lease uses, so that a renewal never waits until a batch has finished. */
  leaseDatabase: Database;
  /**
   * A separate connection for publishing, as RabbitMQ recommends: when the broker blocks publishers, acknowledgements
   * are not delayed.
   */
  publishing: Broker;
  /**
   * Connections that consume the queue of alerts and the queue of deliveries. They are separate, because on a shared
   * connection a delivery message could wait behind 32 MiB of prefetched alerts.
   */
  consuming: { alerts: Broker; deliveries: Broker };
  sender: Sender;
}

/** Number of connections for the lease. A renewal on a hanging connection does not delay the next renewal. */
const leaseConnections = 3;
const leaseTimeoutMs = 2_000;

/** Opens the connections without waiting for the database and the broker. `/readyz` reports if both are available. */
export async function openConnections(
  config: DeliveryWorkerConfig,
  { logger, shutdown }: { logger: Logger; shutdown: Shutdown },
): Promise<Connections> {
  const database = createDatabase({
    url: config.databaseUrl.reveal(),
    applicationName: 'tocsin-delivery-worker',
    poolSize: config.databasePoolSize,
    plansByKey: true,
    // Maximum wait for a lock in milliseconds. A batch that waits for a locked row delays its other rows. After this
    // time the batch is rolled back and split.
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
  return { database: withMissingPartitions(database), leaseDatabase, publishing, consuming, sender };
}

/**
 * Wraps a database. If a statement fails because a partition is missing, the partitions from yesterday to a week ahead
 * are created and the statement is repeated. The repetition is safe, because the failed statement has changed nothing.
 * If the statement needs a partition of another day, it fails again and its error is thrown.
 */
function withMissingPartitions(database: Database): Database {
  return {
    ...database,
    async prepared<Row>(...statement: Parameters<Database['prepared']>) {
      try {
        return await database.prepared<Row>(...statement);
      } catch (error) {
        if (classifyDatabaseError(error) !== 'missing_partition') throw error;
        await ensurePartitions(database, await readClock(database));
        return database.prepared<Row>(...statement);
      }
    },
  };
}

function openSender({ egress, slots }: DeliveryWorkerConfig): Sender {
  return createSender({
    ...egress,
    allow: parseCidrs(egress.allow),
    // Requests to one host can use all slots at the same time. For the next burst of requests, the host may therefore
    // have one idle connection for each slot.
    maxIdlePerDestination: slots,
    maxIdle: 2 * slots,
  });
}
