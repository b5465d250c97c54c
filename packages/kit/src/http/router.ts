import { type Request, type RequestHandler, Router } from 'express';
import { AppError } from '../app-error.js';
import type { HttpMethod, Route } from './route.js';
import { type RoutePolicy, routeMiddleware } from './route-middleware.js';

/**
 * The express router of a group of routes. Another method on one of their paths is 405, after `beforeRefusal`.
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
 * Middleware that finds the route of a request for logs and metrics, also for a request that is refused before it
 * reaches its route.
 */
export function labelRoute(routes: readonly Route<never>[]): RequestHandler {
  const router = Router({ caseSensitive: true });
  for (const { method, path } of routes) {
    router[expressMethod(method)](toExpressPath(path), (_request, response) => {
      response.locals.request.route = path;
    });
  }
  return (request, response, next) => {
    // The request is copied without OPTIONS, to which Express would respond itself, and without percent escapes, on
    // which it would throw if they are malformed.
    const method = request.method === 'OPTIONS' ? 'ANY' : request.method;
    router({ method, url: request.url.replaceAll('%', '_') } as Request, response, () => {});
    next();
  };
}

/** OpenAPI's `/webhooks/{webhook_id}` in the notation of express, `/webhooks/:webhook_id`. */
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
