import express, { type Express, type RequestHandler, type Response } from 'express';
import { AppError } from '../app-error.js';
import { createTimeBudget } from '../concurrency/time-budget.js';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import { toExpressPath } from './express-path.js';
import { type AuthenticateInput, compileRoute, type RoutePolicy } from './handle-route.js';
import { refuseManyHeaders } from './header-count.js';
import { createBodyReader } from './read-body.js';
import { refuseOddRequests } from './refuse-odd-requests.js';
import { sendProblem } from './respond.js';
import type { HttpMethod, Route } from './route.js';
import { createRouteFinder } from './route-finder.js';
import { createSchemaCompiler } from './schema-check.js';
import { trackRequests } from './track-requests.js';

export interface HttpAppOptions<Principal> {
  logger: Logger;
  metrics: Metrics;
  routes: readonly Route<Principal>[];
  /** @throws AppError `unauthenticated`, or `unavailable` while no answer can be given. */
  authenticate(input: AuthenticateInput): Promise<Principal>;
  /**
   * `workspaceId` is null for what concerns the whole deployment.
   * @throws AppError `forbidden`
   */
  authorize(principal: Principal, permission: string, workspaceId: string | null): void;
  /** Asked after authentication and before anything is done, for example for a rate limit. */
  admit?(request: { principal: Principal; route: Route<Principal> }): void;
  /** Who calls, for the log line. */
  describePrincipal?(principal: Principal): string;
  /** 1 MiB unless given; more is 413. */
  bodyLimitBytes?: number;
  /** Turns a part's own error into the one that callers are told, for example a database that is away into a 503. */
  translateError?(error: unknown): unknown;
  /** Served without a credential, after the routes that are `public` (a page's static files). */
  publicFiles?: RequestHandler[];
}

const mebibyte = 1_048_576;

/**
 * The express application of a service. Only what is declared `public` is served without a credential: any other
 * request is authenticated first, before its body is read and before it is told whether the path exists.
 */
export function createHttpApp<Principal>(options: HttpAppOptions<Principal>): Express {
  const { routes, bodyLimitBytes = mebibyte, publicFiles = [] } = options;
  const policy: RoutePolicy<Principal> = {
    ...options,
    readBody: createBodyReader({ limitBytes: bodyLimitBytes }),
    bodyTime: createTimeBudget({ share: 0.1, burstMs: 1_000 }),
    compileSchema: createSchemaCompiler(),
  };
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false).set('case sensitive routing', true);
  app.use(trackRequests(options));
  app.use(refuseManyHeaders, refuseOddRequests);
  mount(
    app,
    policy,
    routes.filter((route) => route.access === 'public'),
  );
  for (const handler of publicFiles) app.use(handler);
  app.use(authenticateEverythingElse(policy, routes));
  mount(
    app,
    policy,
    routes.filter((route) => route.access !== 'public'),
  );
  refuseOtherMethods(app, routes);
  app.use(() => {
    throw new AppError('not_found', 'Nothing is at this path.');
  });
  app.use(sendProblem(options.translateError));
  return app;
}

function mount<Principal>(
  app: Express,
  policy: RoutePolicy<Principal>,
  routes: readonly Route<Principal>[],
): void {
  for (const route of routes) {
    const method = route.method.toLowerCase() as Lowercase<HttpMethod>;
    app[method](toExpressPath(route.path), compileRoute(route, policy));
  }
}

function authenticateEverythingElse<Principal>(
  policy: RoutePolicy<Principal>,
  routes: readonly Route<Principal>[],
): RequestHandler {
  const findRoute = createRouteFinder(routes);
  return async (request, response: Response, next) => {
    const tracked = response.locals.request;
    const { signal } = tracked;
    let principal: Principal;
    try {
      principal = await policy.authenticate({ authorization: request.headers.authorization, signal });
    } catch (error) {
      // For whoever counts: the caller is not told whether there is such a route.
      tracked.route = findRoute(request.method, request.path);
      throw error;
    }
    response.locals.principal = principal;
    const caller = policy.describePrincipal?.(principal);
    if (caller !== undefined) tracked.log({ principal: caller });
    next();
  };
}

function refuseOtherMethods(app: Express, routes: readonly Route<never>[]): void {
  for (const path of new Set(routes.map((route) => toExpressPath(route.path)))) {
    const known = routes.filter((route) => toExpressPath(route.path) === path);
    const methods = known.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const allow = methods.join(', ');
    app.all(path, (request) => {
      const detail = `${request.method} is not possible here; possible are ${allow}.`;
      throw new AppError('method_not_allowed', detail, { headers: { Allow: allow } });
    });
  }
}
