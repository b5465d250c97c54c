import { createDatabase, type Database } from '@tocsin/database';
import type { Lifetime, Logger } from '@tocsin/kit';
import { type Broker, createBroker } from '@tocsin/messaging';
import type { DeliveryWorkerConfig } from './config.js';

export interface Connections {
  database: Database;
  /** Two, so that a broker that holds publishers back does not hold up acknowledgements (RabbitMQ's own advice). */
  publishing: Broker;
  consuming: Broker;
}

/** Opens what the worker works on. Neither waits for its server: readiness tells when both are there. */
export async function openConnections(
  config: DeliveryWorkerConfig,
  { logger, lifetime }: { logger: Logger; lifetime: Lifetime },
): Promise<Connections> {
  const database = createDatabase({
    url: config.databaseUrl.reveal(),
    applicationName: 'tocsin-delivery-worker',
    poolSize: config.databasePoolSize,
    plansByKey: true,
    // A batch that meets a row which somebody has locked holds all its other rows as long as it waits.
    lockTimeoutMs: 2_000,
  });
  lifetime.add('database', () => database.close());
  const open = async (purpose: 'publish' | 'consume') => {
    const name = `delivery-worker ${purpose}`;
    const broker = await createBroker({ url: config.amqpUrl.reveal(), name, logger });
    lifetime.add(`broker (${purpose})`, () => broker.close());
    return broker;
  };
  return { database, publishing: await open('publish'), consuming: await open('consume') };
}
