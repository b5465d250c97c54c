import { checkSchema, type Database } from '@tocsin/database';
import {
  AppError,
  createHttpApp,
  type HealthCheck,
  healthRoutes,
  type Logger,
  listen,
  type Metrics,
  type Shutdown,
  serveMetrics,
} from '@tocsin/kit';
import { type Broker, createQueueDepth, deliveriesQueue, type QueueDepth } from '@tocsin/messaging';
import type { DeliveryWorkerConfig } from './config.js';

export interface EndpointsDeps {
  config: Pick<DeliveryWorkerConfig, 'http' | 'metrics'>;
  database: Database;
  consuming: { alerts: Broker; deliveries: Broker };
  checkKeys: HealthCheck;
  checkWrites: HealthCheck;
  logger: Logger;
  registry: Metrics;
  shutdown: Shutdown;
}

/**
 * Serves `/livez` and `/readyz` on one port and `/metrics` on another. The worker has no API.
 * @returns the port of `/livez` and `/readyz`
 */
export async function openEndpoints(deps: EndpointsDeps): Promise<number> {
  const { config, consuming, logger, registry, shutdown } = deps;
  // The depth is read on a consuming connection. A broker with a memory or disk alarm does not reply on a connection
  // that publishes, and the worker is still ready.
  const queueDepth = await createQueueDepth(consuming.deliveries, deliveriesQueue);
  const app = createHttpApp({
    logger,
    metrics: registry,
    routes: healthRoutes({ checks: checksOf({ ...deps, queueDepth }) }),
    authenticate: async () => {
      throw new AppError('unauthenticated', 'Only /livez and /readyz are served here.');
    },
    authorize: () => {},
  });
  const health = await listen(app, config.http);
  shutdown.add('health', (remainingMs) => health.close(remainingMs));
  const metrics = await serveMetrics(registry, config.metrics);
  shutdown.add('metrics', (remainingMs) => metrics.close(remainingMs));
  return health.port;
}

function checksOf(deps: EndpointsDeps & { queueDepth: QueueDepth }) {
  const { database, consuming, queueDepth, checkKeys, checkWrites } = deps;
  const isDatabaseUsable = async (signal: AbortSignal) => {
    await checkSchema(database);
    await checkWrites(signal);
  };
  const isBrokerUp = async () => {
    if (!consuming.alerts.isUp() || !consuming.deliveries.isUp())
      throw new Error('The broker is unavailable.');
    // The check waits for a reply from the broker. An open connection is not sufficient, because the connection to a
    // frozen broker stays open until its heartbeats fail.
    await queueDepth();
  };
  return { database: isDatabaseUsable, broker: isBrokerUp, secrets: checkKeys };
}
