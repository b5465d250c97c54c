export { AppError, type AppErrorOptions, type ErrorCode, errorStatus, type FieldError } from './app-error.js';
export {
  type Batcher,
  type BatcherOptions,
  createBatcher,
  createPromiseBatcher,
  type PromiseBatcher,
} from './concurrency/batcher.js';
export { createFairQueue, type FairQueue } from './concurrency/fair-queue.js';
export { ConfigError, type EnvReader, readEnv } from './env.js';
export { createGate, type Gate, type Refusal } from './gate.js';
export { type HealthCheck, healthRoutes } from './health.js';
export { createHttpApp, type HttpAppOptions } from './http/app.js';
export { type DefineRoute, definePublicRoute, routeDefiner } from './http/define-route.js';
export type { AuthenticateInput } from './http/handle-route.js';
export { createOpenApiDocument } from './http/openapi.js';
export { openApiRoute } from './http/openapi-route.js';
export type { HttpMethod, Located, PermissionAccess, Route, RouteContext } from './http/route.js';
export { type HttpServer, listen } from './http/server.js';
export { createLifetime, type Lifetime } from './lifetime.js';
export { createLogger, type Logger, type LogLevel, logLevels } from './logger.js';
export { createMetrics, type Metrics } from './metrics.js';
export { serveMetrics } from './metrics-server.js';
export { createRateLimiter, type RateDecision, type RateLimiter } from './rate-limiter.js';
export { type RunningService, runService } from './run-service.js';
export { Secret } from './secret.js';
export { createSilence, type Silence } from './silence.js';
export { createSingleFlight, type SingleFlight } from './single-flight.js';
export { createTimeBudget, type TimeBudget } from './time-budget.js';
export { createTurnstile, type Turnstile } from './turnstile.js';
export { withDeadline } from './with-deadline.js';
