/** Exports that the package's entries for Node and for browsers have in common. */
export type { AlertRulesApi } from './api/alert-rules.js';
export type { AlertsApi } from './api/alerts.js';
export type { AuditEventsApi } from './api/audit-events.js';
export type { ClientOptions } from './api/client-options.js';
export type { DeadLettersApi } from './api/dead-letters.js';
export type { DeliveriesApi } from './api/deliveries.js';
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
export type { PlatformClient } from './api/platform-api.js';
export type { ListTotal, Page, Paged, Tagged } from './api/requests.js';
export type * from './api/schemas.js';
export type { CallOptions, ChangeOptions } from './api/transport.js';
export type { WebhooksApi } from './api/webhooks.js';
export type { SettingsApi, WorkspacesApi } from './api/workspaces.js';
export type { Session, TokenRequest } from './sessions/session.js';
export { TocsinError } from './tocsin-error.js';
