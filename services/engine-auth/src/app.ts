import { checkSchema, createDatabase, createPoolMetrics, toUnavailableError } from '@tocsin/database';
import { createIdentity, principalId } from '@tocsin/identity';
import {
  AppError,
  createHttpApp,
  createLogger,
  createMetrics,
  createOpenApiDocument,
  createShutdown,
  healthRoutes,
  type Logger,
  listen,
  openApiRoute,
  type Route,
  type Shutdown,
  serveMetrics,
  sleep,
  startTracing,
} from '@tocsin/kit';
import { createBroker } from '@tocsin/messaging';
import { createApiKeyRepository } from './api-keys/api-key-repository.js';
import { apiKeyRoutes } from './api-keys/api-key-routes.js';
import type { EngineAuthConfig } from './config.js';
import { createEngineMetrics } from './metrics.js';
import { createAuthenticate } from './verify/authenticate.js';
import { createBcryptQueue } from './verify/bcrypt-queue.js';
import { createDeactivationBroadcast } from './verify/deactivation-broadcast.js';
import type { EngineCaller } from './verify/engine-caller.js';
import { createBatchedLookup, createKeyValidator } from './verify/key-validator.js';
import { verifyRoute } from './verify/verify-route.js';

export interface EngineAuth {
  url: string;
  metricsUrl: string;
  logger: Logger;
  /** Resolves when this instance is connected to the broker and receives the broadcasts of other instances. */
  brokerReady(): Promise<void>;
  close(deadlineMs: number): Promise<void>;
}

/** Replacements of dependencies, for tests. */
export interface EngineAuthOverrides {
  /** Monotonic clock in milliseconds. */
  now?: () => number;
}

/** Creates and starts the service. It starts even if the database or the broker is unavailable. */
export async function createEngineAuth(
  config: EngineAuthConfig,
  overrides: EngineAuthOverrides = {},
): Promise<EngineAuth> {
  const shutdown = createShutdown();
  try {
    return await open(config, overrides, shutdown);
  } catch (error) {
    await shutdown.close(1_000);
    throw error;
  }
}

async function open(
  config: EngineAuthConfig,
  { now = () => performance.now() }: EngineAuthOverrides,
  shutdown: Shutdown,
): Promise<EngineAuth> {
  const service = 'engine-auth';
  const logger = createLogger({
    service,
    level: config.logLevel,
    successPercent: config.logSuccessPercent,
  });
  const tracing = await startTracing({ service, endpoint: config.tracingEndpoint, logger, shutdown });
  const metrics = createMetrics({ service });
  warnOfShortKey(config, logger);
  const database = createDatabase({
    url: config.databaseUrl.reveal(),
    applicationName: 'tocsin-engine-auth',
    // The reverse proxy delays each request of its clients until `/auth/verify` responds. The timeouts are short, so
    // that clients get a 503 within seconds.
    statementTimeoutMs: 5_000,
    acquireTimeoutMs: 3_000,
    circuitOpenAfterMs: 1_000,
  });
  shutdown.add('database', () => database.close());
  createPoolMetrics(metrics, { main: database });
  const broker = await createBroker({
    url: config.amqpUrl.reveal(),
    name: 'engine-auth',
    logger,
  });
  shutdown.add('broker', () => broker.close());

  const store = createApiKeyRepository(database);
  const bcrypt = createBcryptQueue({ onDone: (seconds) => counted.bcryptDone(seconds) });
  const counted = createEngineMetrics(metrics, { bcryptWaiting: bcrypt.waiting });
  const validator = createKeyValidator({
    findActiveHash: store.findActiveHash,
    lookUp: createBatchedLookup(store.findActiveHashes),
    compare: bcrypt.compare,
    now,
    onChecked: counted.keyChecked,
  });
  const broadcast = await createDeactivationBroadcast(broker, { onDeactivated: validator.forget, logger });
  const identity = createIdentity({ settings: config.identity, logger, metrics, shutdown });

  const forgetEverywhere = (id: string) => {
    validator.forget(id);
    return broadcast.announce(id);
  };
  const routes: Route<EngineCaller>[] = [
    ...healthRoutes({
      checks: { database: () => checkSchema(database) },
      // A database schema that is too old causes an AppError, and the instance is then not ready. It stays ready while
      // the database is unavailable, because the admin key and tokens work without the database.
      isOwnFault: (error) => error instanceof AppError,
    }),
    verifyRoute(),
    ...apiKeyRoutes({ store, hash: bcrypt.hash, maxActiveKeys: config.maxActiveKeys, forgetEverywhere }),
  ];
  const info = { title: 'Tocsin engine authentication', version: '1.0.0' };
  const openApi = createOpenApiDocument({ info, routes, bearer });
  const app = createHttpApp<EngineCaller>({
    logger,
    metrics,
    tracing,
    routes: [...routes, openApiRoute(openApi)],
    authenticate: createAuthenticate({
      adminKey: config.adminKey,
      validateKey: validator.validate,
      verifyToken: identity.verifyToken,
      wait: (ms) => sleep(ms),
      now,
    }),
    authorize: requireKeyManagement,
    describePrincipal: principalId,
    translateError: toUnavailableError,
  });

  const metricsServer = await serveMetrics(metrics, config.metrics);
  shutdown.add('metrics', (remainingMs) => metricsServer.close(remainingMs));
  const server = await listen(app, config.http);
  shutdown.add('http server', (remainingMs) => server.close(remainingMs));
  return {
    url: server.url,
    metricsUrl: metricsServer.url,
    logger,
    brokerReady: broker.ready,
    close: (deadlineMs) => shutdown.close(deadlineMs),
  };
}

/** Description of the accepted credentials in the OpenAPI document. */
const bearer = {
  description:
    'The admin key, a user key, or an access token (JWT) of the identity provider. Managing keys needs the admin key, or a token with the role tocsin_engine_admin.',
};

/**
 * Length of an admin key, in characters, below which it is logged as too short. 16 random letters and digits have 95
 * bits of entropy. The admin key is compared without bcrypt, so an attacker can try many values at little cost.
 */
const shortestSafeKey = 16;

function warnOfShortKey({ adminKey }: EngineAuthConfig, logger: Logger): void {
  if (adminKey === undefined || adminKey.reveal().length >= shortestSafeKey) return;
  logger.warn({ variable: 'GENAI_ENGINE_ADMIN_KEY', shortest_safe: shortestSafeKey }, 'admin_key.short');
}

function requireKeyManagement({ mayManageKeys }: EngineCaller): void {
  if (!mayManageKeys)
    throw new AppError('forbidden', 'Managing keys needs the admin key or tocsin_engine_admin.');
}
