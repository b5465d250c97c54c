import {
  checkSchema,
  createDatabase,
  createSecretBox,
  parseSecretKeys,
  toUnavailableError,
} from '@tocsin/database';
import { createSender, parseCidrs } from '@tocsin/egress';
import { createIdentity, requirePermission } from '@tocsin/identity';
import {
  createHttpApp,
  createLogger,
  createMetrics,
  createShutdown,
  healthRoutes,
  type Logger,
  listen,
  serveMetrics,
} from '@tocsin/kit';
import { createBroker, createPublisher } from '@tocsin/messaging';
import type { WebhookApiConfig } from './config.js';
import { documentRoutes } from './docs/document-routes.js';
import { createPaging } from './lists/paging.js';
import { principalName } from './principal-name.js';
import { createRateLimits } from './rate-limits.js';
import { resourceRoutes } from './resource-routes.js';

export interface WebhookApi {
  logger: Logger;
  url: string;
  metricsUrl: string;
  /** Lets what is in flight finish, then closes everything. */
  close(deadlineMs: number): Promise<void>;
}

/** The seam for tests. */
export interface WebhookApiOverrides {
  logger?: Logger;
}

/** Puts the service together and starts it. It answers before database, broker and provider do. */
export async function createWebhookApi(
  config: WebhookApiConfig,
  overrides: WebhookApiOverrides = {},
): Promise<WebhookApi> {
  const service = 'webhook-api';
  const logger = overrides.logger ?? createLogger({ service, level: config.logLevel });
  const metrics = createMetrics({ service });
  const shutdown = createShutdown();

  const database = createDatabase({
    url: config.databaseUrl.reveal(),
    applicationName: service,
    poolSize: config.databasePoolSize,
    // Callers get a 503 rather than a long wait, also while the database is frozen.
    statementTimeoutMs: 5_000,
    // Less than publishing waits for its rule: else connections would be given to those who are no longer waiting.
    acquireTimeoutMs: 1_500,
    refuseAfterMs: 1_000,
  });
  shutdown.add('database', () => database.close());
  const broker = await createBroker({
    url: config.amqpUrl.reveal(),
    name: service,
    logger,
  });
  shutdown.add('broker', () => broker.close());
  const publisher = await createPublisher(broker, { confirmTimeoutMs: 3_000, refuseAfterMs: 1_000 });
  const { allow, caFile } = config.egress;
  const sender = createSender({ allow: parseCidrs(allow), ...(caFile !== undefined && { caFile }) });
  shutdown.add('sender', () => sender.close());
  const identity = createIdentity({ settings: config.identity, logger, metrics });

  const secretBox = createSecretBox(parseSecretKeys(config.secretsKeys.reveal()));
  const { publicUrl, limits } = config;
  const paging = createPaging({ secretBox, publicUrl });
  const resources = resourceRoutes({ config, database, publisher, sender, secretBox, paging, logger });
  const health = healthRoutes({ checks: { database: () => checkSchema(database) } });
  const routes = [...resources, ...health];
  const app = createHttpApp({
    logger,
    metrics,
    routes: [...routes, ...documentRoutes(routes)],
    authenticate: identity.authenticate,
    authorize: requirePermission,
    admit: createRateLimits(limits),
    describePrincipal: principalName,
    bodyLimitBytes: limits.requestBytes,
    translateError: toUnavailableError,
  });

  const server = await listen(app, config.http);
  shutdown.add('http', (remainingMs) => server.close(remainingMs));
  const metricsServer = await serveMetrics(metrics, config.metrics);
  shutdown.add('metrics', (remainingMs) => metricsServer.close(remainingMs));
  logger.info({ url: server.url, metrics_url: metricsServer.url }, 'http.listening');
  return {
    logger,
    url: server.url,
    metricsUrl: metricsServer.url,
    close: (deadlineMs) => shutdown.close(deadlineMs),
  };
}
