export {
  AppError,
  type AppErrorOptions,
  type ErrorCode,
  errorStatus,
  type FieldError,
  invalidBody,
  invalidQuery,
  requireWithinLimit,
} from './app-error.js';
export { instanceName } from './build-identity.js';
export { groupBy, splitBySize, uniqueBy, withoutUndefined } from './collections.js';
export { exponentialBackoffMs, retry } from './concurrency/backoff.js';
export {
  type BatcherOptions,
  createBatcher,
  createPromiseBatcher,
  type PromiseBatcher,
} from './concurrency/batcher.js';
export { type CircuitBreaker, createCircuitBreaker } from './concurrency/circuit-breaker.js';
export { createRateLimiter, type RateDecision, type RateLimiter } from './concurrency/rate-limiter.js';
export { createSemaphore, type LimitReason, type Semaphore } from './concurrency/semaphore.js';
export { createSingleFlight, type SingleFlight } from './concurrency/single-flight.js';
export { createTickThrottle, type TickThrottle } from './concurrency/tick-throttle.js';
export { createTimeBudget, type TimeBudget } from './concurrency/time-budget.js';
export { createWakeableSleep, sleep, type WakeableSleep, withTimeout } from './concurrency/timeout.js';
export { ConfigError, type EnvReader, readEnv } from './env.js';
export { type FileLock, tryLockFile, withFileLock } from './file-lock.js';
export { type HealthCheck, healthRoutes } from './health.js';
export { type AuthenticateInput, createHttpApp, type HttpAppOptions } from './http/app.js';
export { etagOf, requireMatch } from './http/etag.js';
export { createOpenApiDocument, openApiRoute } from './http/openapi.js';
export { problemSchema, toProblem } from './http/problem.js';
export { isSafeRequestId } from './http/request-context.js';
export {
  type CheckedItem,
  type DefineRoute,
  definePublicRoute,
  type HttpMethod,
  type PermissionAccess,
  type Route,
  type RouteContext,
  type RouteTarget,
  routeDefiner,
} from './http/route.js';
export { joinErrors } from './http/route-middleware.js';
export { createSchemaCompiler, maxBytesForAllErrors, maxErrors } from './http/schema-check.js';
export { type HttpServer, listen } from './http/server.js';
export { findInvalidText } from './invalid-text.js';
export { escapePointer } from './json-pointer.js';
export { createLogThrottle } from './log-throttle.js';
export { createLogger, type Logger, type LogLevel, logLevels } from './logger.js';
export { messageOf } from './message-of.js';
export { createMetrics, type Metrics, serveMetrics } from './metrics.js';
export { type RunningService, runService } from './run-service.js';
export { isUuid } from './schema-formats.js';
export { Secret } from './secret.js';
export { readDatabaseUrl } from './server-url.js';
export { readServiceConfig, type ServiceConfig } from './service-config.js';
export { createShutdown, type Shutdown } from './shutdown.js';
export type { Span, Tracing } from './tracing/span.js';
export { startTracing, traceparentHeader, traceparentOf } from './tracing/tracing.js';
