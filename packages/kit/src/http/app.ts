import express, { type Express, type RequestHandler } from 'express';
import { AppError } from '../app-error.js';
import { groupBy } from '../collections.js';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import type { Tracing } from '../tracing/span.js';
import { createJsonBodyParser } from './json-body.js';
import { rejectMalformedPaths, rejectMalformedRequests } from './reject-malformed-requests.js';
import { requestContext } from './request-context.js';
import { requestLog } from './request-log.js';
import { errorHandler } from './respond.js';
import type { Route } from './route.js';
import type { RoutePolicy } from './route-middleware.js';
import { createRouter } from './router.js';
import { createSchemaCompiler } from './schema-check.js';
import { createSharedResponses } from './shared-responses.js';

export interface HttpAppOptions<Principal> {
  logger: Logger;
  metrics: Metrics;
  /** Source of spans; undefined if tracing is off. */
  tracing?: Tracing | undefined;
  routes: readonly Route<Principal>[];
  /**
   * Authenticates the caller of a request.
   * @throws AppError `unauthenticated`, or `unavailable` while the credential cannot be checked
   */
  authenticate(input: AuthenticateInput): Promise<Principal>;
  /**
   * Checks a permission. `workspaceId` is null for a permission on the whole deployment.
   * @throws AppError `forbidden`
   */
  authorize(principal: Principal, permission: string, workspaceId: string | null): void;
  /**
   * Called after authentication and before the request is validated, for example for a rate limit. Throws to reject the
   * request.
   */
  admit?(request: { principal: Principal; route: Route<Principal> }): void;
  /**
   * Called after authorization for a request to a workspace, for example for the workspace's rate limit. Throws to
   * reject the request.
   */
  admitToWorkspace?(request: { workspaceId: string; route: Route<Principal> }): void;
  /**
   * Returns the key of an audience; undefined for a caller that shares no response. Callers with the same key share the
   * responses of shareable routes, so they must be allowed to see the same data.
   */
  audienceOf?(principal: Principal, workspaceId: string): string | undefined;
  /** Returns the name of the caller, for the log and for limits. */
  describePrincipal?(principal: Principal): string;
  /** Maximum size of a request body in bytes. Default: 1 MiB. */
  bodyLimitBytes?: number;
  /**
   * Translates an error of a dependency to the error that callers see. Example: an unavailable database becomes a 503.
   */
  translateError?(error: unknown): unknown;
  /** Middleware for static files that need no credential. */
  publicFiles?: RequestHandler[];
}

export interface AuthenticateInput {
  /** The `Authorization` header as it was sent. */
  authorization: string | undefined;
}

const mebibyte = 1_048_576;

/**
 * Creates the express application of a service. A request to a route that is not `public` is authenticated before its
 * body is read and before any response that shows whether the path exists.
 */
export function createHttpApp<Principal>(options: HttpAppOptions<Principal>): Express {
  const { routes, bodyLimitBytes = mebibyte, publicFiles = [] } = options;
  const authenticate = authentication(options);
  const policy: RoutePolicy<Principal> = {
    ...options,
    authenticate,
    parseBody: createJsonBodyParser({ limitBytes: bodyLimitBytes }),
    compileSchema: createSchemaCompiler(),
    sharedResponses: createSharedResponses(),
  };
  const publicRoutes = routes.filter(({ access }) => access === 'public');
  const features = groupBy(
    routes.filter(({ access }) => access !== 'public'),
    ({ tag }) => tag,
  );

  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.use(requestContext);
  app.use(requestLog(options));
  app.use(rejectMalformedRequests);
  app.use(createRouter(publicRoutes, policy));
  for (const files of publicFiles) app.use(files);
  app.use(rejectMalformedPaths);
  for (const feature of features.values()) app.use(createRouter(feature, policy));
  app.use(authenticate, () => {
    throw new AppError('not_found', 'This path does not exist.');
  });
  app.use(errorHandler(options.translateError));
  return app;
}

function authentication<Principal>(options: HttpAppOptions<Principal>): RequestHandler {
  return async ({ headers }, response, next) => {
    const { request } = response.locals;
    const principal = await options.authenticate({ authorization: headers.authorization });
    response.locals.principal = principal;
    const caller = options.describePrincipal?.(principal);
    if (caller !== undefined) request.logFields.principal = caller;
    next();
  };
}
