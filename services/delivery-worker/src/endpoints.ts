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
import type { Broker } from '@tocsin/messaging';
import type { DeliveryWorkerConfig } from './config.js';

export interface EndpointsDeps {
  config: Pick<DeliveryWorkerConfig, 'http' | 'metrics'>;
  database: Database;
  consuming: { alerts: Broker; deliveries: Broker };
  /**
   * Resolves to the number of messages ready in the queue of deliveries. Rejects if the broker is unavailable or does
   * not reply within 2 s.
   */
  queueDepth: () => Promise<number>;
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
  const { config, logger, registry, shutdown } = deps;
  const app = createHttpApp({
    logger,
    metrics: registry,
    routes: healthRoutes({ checks: checksOf(deps) }),
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

function checksOf({ database, consuming, queueDepth, checkKeys, checkWrites }: EndpointsDeps) {
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
