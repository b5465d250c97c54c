import {
  checkSchema,
  createDatabase,
  createPoolMetrics,
  createSecretBox,
  parseSecretKeys,
  toUnavailableError,
} from '@tocsin/database';
import { createSender, parseCidrs } from '@tocsin/egress';
import { createIdentity, type Principal, principalId, requirePermission } from '@tocsin/identity';
import {
  AppError,
  createHttpApp,
  createLogger,
  createMetrics,
  createShutdown,
  healthRoutes,
  type Logger,
  listen,
  type Route,
  serveMetrics,
  startTracing,
  withTimeout,
} from '@tocsin/kit';
import { type Broker, createBroker, createPublisher } from '@tocsin/messaging';
import { alertRuleRoutes } from './alert-rules/alert-rule-routes.js';
import { alertRoutes } from './alerts/alert-routes.js';
import { type ApiDeps, audienceOf, whoamiRoute } from './api-route.js';
import { auditRoutes } from './audit/audit-routes.js';
import type { WebhookApiConfig } from './config.js';
import { consoleConfigRoute } from './console/console-config-route.js';
import { builtConsole, consoleFiles } from './console/console-files.js';
import { deadLetterRoutes } from './dead-letters/dead-letter-routes.js';
import { deliveryRoutes } from './deliveries/delivery-routes.js';
import { deliveryStatsRoutes } from './delivery-stats/delivery-stats-routes.js';
import { documentRoutes } from './docs/document-routes.js';
import { jobRoutes } from './jobs/job-routes.js';
import { startKeyCheck } from './key-check.js';
import { createPaging } from './lists/paging.js';
import { createReadLimiter } from './lists/read-limiter.js';
import { createOpenDeliveryQuota } from './open-delivery-quota.js';
import { type PipelineIntervals, startPipelineMonitor } from './pipeline/pipeline-monitor.js';
import { createRateLimits } from './rate-limits.js';
import { settingsRoutes } from './settings/settings-routes.js';
import { webhookRoutes } from './webhooks/webhook-routes.js';
import { workspaceRoutes } from './workspaces/workspace-routes.js';

const service = 'webhook-api';

export interface WebhookApi {
  logger: Logger;
  url: string;
  metricsUrl: string;
  /** Waits up to `deadlineMs` for requests in progress, and then closes all connections. */
  close(deadlineMs: number): Promise<void>;
}

/** Dependencies that tests replace. */
export interface WebhookApiOverrides {
  logger?: Logger;
  now?: () => Date;
  pipelineIntervals?: PipelineIntervals;
  /** Directory that contains the built console. Default: `builtConsole`. */
  consoleDirectory?: string;
}

/**
 * Creates and starts the service. It waits for the broker for a limited time, so that an instance that is added during
 * an upgrade does not reject alerts. It does not wait for the database and the identity provider.
 */
export async function createWebhookApi(
  config: WebhookApiConfig,
  overrides: WebhookApiOverrides = {},
): Promise<WebhookApi> {
  const {
    logger = createLogger({ service, level: config.logLevel, successPercent: config.logSuccessPercent }),
    now = () => new Date(),
  } = overrides;
  const metrics = createMetrics({ service });
  const shutdown = createShutdown();
  const tracing = await startTracing({ service, endpoint: config.tracingEndpoint, logger, shutdown });

  const database = createDatabase({
    url: config.databaseUrl.reveal(),
    applicationName: service,
    poolSize: config.databasePoolSize,
    // This limit is short, so that callers soon get a 503 if a statement hangs.
    statementTimeoutMs: 5_000,
    // This limit is shorter than the 2 s after which the rule lookup of a published alert times out. With a longer
    // wait, a lookup that has already timed out could still get a connection.
    acquireTimeoutMs: 1_500,
    circuitOpenAfterMs: 1_000,
  });
  shutdown.add('database', () => database.close());
  createPoolMetrics(metrics, { main: database });
  const broker = await createBroker({ url: config.amqpUrl.reveal(), name: service, logger });
  shutdown.add('broker', () => broker.close());
  const publisher = await createPublisher(broker, { confirmTimeoutMs: 3_000, circuitOpenAfterMs: 1_000 });
  const { allow, caFile } = config.egress;
  const sender = createSender({ allow: parseCidrs(allow), caFile });
  shutdown.add('sender', () => sender.close());
  const identity = createIdentity({ settings: config.identity, logger, metrics, shutdown });

  const secretBox = createSecretBox(parseSecretKeys(config.secretsKeys.reveal()));
  const { databasePoolSize } = config;
  const { admitBatch, ...requestLimits } = createRateLimits(config.limits);
  const features = featureRoutes({
    config,
    database,
    publisher,
    sender,
    secretBox,
    paging: createPaging({ secretBox, publicUrl: config.publicUrl }),
    quota: createOpenDeliveryQuota(database, config.limits.openDeliveries, metrics),
    searchLimiter: createReadLimiter({ databasePoolSize, reads: 'searches' }),
    listLimiter: createReadLimiter({ databasePoolSize, reads: 'lists' }),
    admitBatch,
    now,
  });
  const health = healthRoutes({
    checks: {
      database: () => checkSchema(database),
      secrets: startKeyCheck({ database, secretBox, shutdown }),
      broker: async () => requireAccepting(broker),
    },
    // Checks throw an AppError for a fault of this instance: a database schema that is too old, or wrong encryption
    // keys. Other errors are outages of a dependency. The instance then stays ready, and requests that need the
    // dependency get 503.
    isOwnFault: (error) => error instanceof AppError,
  });
  const routes = [...features, ...health];
  const { issuer } = config.identity.issuers[0]!;
  const app = createHttpApp({
    logger,
    metrics,
    tracing,
    routes: [
      ...routes,
      ...documentRoutes(routes, { issuer }),
      consoleConfigRoute({ issuer, client_id: config.consoleClientId }),
    ],
    publicFiles: [consoleFiles({ directory: overrides.consoleDirectory ?? builtConsole, issuer })],
    authenticate: identity.authenticate,
    authorize: requirePermission,
    ...requestLimits,
    describePrincipal: principalId,
    audienceOf,
    bodyLimitBytes: config.limits.requestBytes,
    translateError: toUnavailableError,
  });

  const { pipelineIntervals: intervals } = overrides;
  await withTimeout(broker.ready(), { timeoutMs: config.brokerWaitMs }).catch(() =>
    logger.warn({ waited_ms: config.brokerWaitMs }, 'broker.not_ready'),
  );
  startPipelineMonitor({ database, publisher, metrics, shutdown, ...(intervals && { intervals }) });
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

function requireAccepting(broker: Broker): void {
  if (!broker.isUp() || broker.isBlocked()) throw new Error('The broker accepts no messages.');
}

/**
 * Returns the routes in the order in which the router tries them. Alerts come first, because most requests publish
 * alerts.
 */
function featureRoutes(deps: ApiDeps): Route<Principal>[] {
  return [
    ...alertRoutes(deps),
    ...webhookRoutes(deps),
    ...alertRuleRoutes(deps),
    ...deliveryRoutes(deps),
    ...deliveryStatsRoutes(deps),
    ...jobRoutes(deps),
    ...deadLetterRoutes(deps),
    ...workspaceRoutes(deps),
    ...settingsRoutes(deps),
    ...auditRoutes(deps),
    whoamiRoute(),
  ];
}
