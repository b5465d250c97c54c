import { type Request, type RequestHandler, Router } from 'express';
import { AppError } from '../app-error.js';
import type { HttpMethod, Route } from './route.js';
import { type RoutePolicy, routeMiddleware } from './route-middleware.js';

/**
 * Creates the express router of a group of routes. A known path with another method gets 405, after the handlers
 * `beforeRefusal` (such as authentication) have run.
 */
export function createRouter<Principal>(
  routes: readonly Route<Principal>[],
  policy: RoutePolicy<Principal>,
  beforeRefusal: RequestHandler[] = [],
): Router {
  const router = Router({ caseSensitive: true });
  for (const route of routes) {
    router[expressMethod(route.method)](toExpressPath(route.path), ...routeMiddleware(route, policy));
  }
  for (const [path, methods] of methodsByPath(routes)) {
    router.all(toExpressPath(path), ...beforeRefusal, refuseMethod(methods));
  }
  return router;
}

/**
 * Middleware that stores the route of each request for logs and metrics. It runs before authentication, so that
 * rejected requests have a route too.
 */
export function labelRoute(routes: readonly Route<never>[]): RequestHandler {
  const router = Router({ caseSensitive: true });
  for (const { method, path } of routes) {
    router[expressMethod(method)](toExpressPath(path), (_request, response) => {
      response.locals.request.route = path;
    });
  }
  return (request, response, next) => {
    // The router gets a changed copy of the request. OPTIONS is replaced, because Express responds to it by itself.
    // Percent signs are replaced, because Express throws for malformed escapes.
    const method = request.method === 'OPTIONS' ? 'ANY' : request.method;
    router({ method, url: request.url.replaceAll('%', '_') } as Request, response, () => {});
    next();
  };
}

/** Converts OpenAPI's `/webhooks/{webhook_id}` to the notation of express, `/webhooks/:webhook_id`. */
function toExpressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function expressMethod(method: HttpMethod): Lowercase<HttpMethod> {
  return method.toLowerCase() as Lowercase<HttpMethod>;
}

function methodsByPath(routes: readonly Route<never>[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routes) {
    const added = method === 'GET' ? ['GET', 'HEAD'] : [method];
    methods.set(path, [...(methods.get(path) ?? []), ...added]);
  }
  return methods;
}

function refuseMethod(methods: string[]): RequestHandler {
  const allow = methods.join(', ');
  return ({ method }) => {
    const detail = `${method} is not supported here; supported methods are ${allow}.`;
    throw new AppError('method_not_allowed', detail, { headers: { Allow: allow } });
  };
}
