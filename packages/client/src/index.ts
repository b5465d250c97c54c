export type { AlertRulesApi } from './api/alert-rules.js';
export type { AlertsApi } from './api/alerts.js';
export type { AuditEventsApi } from './api/audit-events.js';
export type { ClientOptions } from './api/client-options.js';
export type { DeadLettersApi } from './api/dead-letters.js';
export type { DeliveriesApi } from './api/deliveries.js';
export {
  createEngineClient,
  type EngineClient,
  type EngineClientOptions,
  type KeysApi,
  type VerifiedCaller,
  type VerifyOptions,
} from './api/engine-client.js';
export {
  ApiError,
  type ApiErrorCode,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  PreconditionFailedError,
  TooManyRequestsError,
  UnauthenticatedError,
  UnavailableError,
} from './api/errors.js';
export type { CancellationsApi, DispatchesApi, JobsApi, RedeliveriesApi } from './api/jobs.js';
export type { ListTotal, Paged } from './api/paged.js';
export type { PlatformClient } from './api/platform-api.js';
export { createPlatformClient, type PlatformClientOptions } from './api/platform-client.js';
export type * from './api/schemas.js';
export type { SettingsApi } from './api/settings.js';
export type { Tagged } from './api/tagged.js';
export type { CallOptions, ChangeOptions } from './api/transport.js';
export type { WebhooksApi } from './api/webhooks.js';
export type { WorkspacesApi } from './api/workspaces.js';
export { type Clock, systemClock } from './clock.js';
export { AlertNotPublishedError, type AlertPublisher, type FiredAlert } from './publish/alert-publisher.js';
export { type AmqpPublisherOptions, createAmqpPublisher } from './publish/amqp-publisher.js';
export { type CellPublisherOptions, createCellPublisher } from './publish/cell-publisher.js';
export { type AlertProblem, createAlertCheck } from './publish/check-alert.js';
export type { PublisherOptions } from './publish/create-alert-publisher.js';
export { createHttpPublisher, type HttpPublisherOptions } from './publish/http-publisher.js';
export {
  type ClientCredentialsOptions,
  ClientCredentialsSession,
} from './sessions/client-credentials-session.js';
export type { DeviceCode } from './sessions/device-login.js';
export { DeviceSession, type DeviceSessionOptions } from './sessions/device-session.js';
export type { Session, TokenRequest } from './sessions/session.js';
export { SessionError, type SessionErrorCode } from './sessions/session-error.js';
export { receiveSession, shareSession } from './sessions/share-session.js';
export type { TokenStore } from './sessions/token-store.js';
export type { Tokens } from './sessions/tokens.js';
export { TocsinError } from './tocsin-error.js';
