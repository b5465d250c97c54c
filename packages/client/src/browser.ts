/** The entry for browsers: the client of the platform API, without sessions and publishers, which need Node. */
import type { ClientOptions } from './api/client-options.js';
import { transportOptions } from './api/client-options.js';
import { createFetchExchange } from './api/fetch-exchange.js';
import { createPlatformApi, type PlatformApiOptions, type PlatformClient } from './api/platform-api.js';
import { createTransport } from './api/transport.js';
import type { Session } from './sessions/session.js';

export interface BrowserClientOptions extends Omit<ClientOptions, 'credential'>, PlatformApiOptions {
  /**
   * Resolves with a valid access token. After a 401, `rejected` is the refused token, and another token must be
   * returned.
   */
  token: Session['token'];
  /** Sends the requests. Default: the `fetch` of the page. */
  fetch?: typeof fetch | undefined;
}

/**
 * @example
 * const tocsin = createPlatformClient({ url: location.origin, token: async () => user.access_token, workspaceId });
 */
export function createPlatformClient(options: BrowserClientOptions): PlatformClient {
  const { token, fetch: send = (...request) => globalThis.fetch(...request) } = options;
  const exchange = createFetchExchange(send);
  return createPlatformApi(
    createTransport(transportOptions(options, { credential: { token }, exchange })),
    options,
  );
}

export type { AlertRulesApi } from './api/alert-rules.js';
export type { AlertsApi } from './api/alerts.js';
export type { AuditEventsApi } from './api/audit-events.js';
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
export type { ListTotal, Paged } from './api/paged.js';
export type { PlatformClient } from './api/platform-api.js';
export type * from './api/schemas.js';
export type { Tagged } from './api/tagged.js';
export type { CallOptions, ChangeOptions } from './api/transport.js';
export type { WebhooksApi } from './api/webhooks.js';
export type { WorkspacesApi } from './api/workspaces.js';
export type { Session, TokenRequest } from './sessions/session.js';
export { TocsinError } from './tocsin-error.js';
