import { type RequestHandler, Router } from 'express';
import { AppError } from '../app-error.js';
import { groupBy } from '../collections.js';
import type { HttpMethod, Route } from './route.js';
import { type RoutePolicy, routeMiddleware } from './route-middleware.js';

/**
 * Creates the express router of a group of routes. A known path with an unsupported method gets 405 after
 * authentication.
 */
export function createRouter<Principal>(
  routes: readonly Route<Principal>[],
  policy: RoutePolicy<Principal>,
): Router {
  const router = Router({ caseSensitive: true });
  const byPath = groupBy(routes, ({ path }) => path);
  // In this order, `/alerts/batch` comes before `/alerts/{alert_id}`, because `{` follows all letters. Otherwise
  // `GET /alerts/batch` would be a request for the alert with the id "batch".
  for (const path of [...byPath.keys()].sort()) {
    const ofPath = byPath.get(path) ?? [];
    for (const route of ofPath)
      router[expressMethod(route.method)](toExpressPath(path), ...routeMiddleware(route, policy));
    router.all(toExpressPath(path), policy.authenticate, rejectMethod(ofPath.flatMap(methodsOf)));
  }
  return router;
}

/** Converts OpenAPI's `/webhooks/{webhook_id}` to the notation of express, `/webhooks/:webhook_id`. */
function toExpressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function expressMethod(method: HttpMethod): Lowercase<HttpMethod> {
  return method.toLowerCase() as Lowercase<HttpMethod>;
}

function methodsOf({ method }: Pick<Route<never>, 'method'>): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

function rejectMethod(methods: string[]): RequestHandler {
  const allow = methods.join(', ');
  return ({ method }) => {
    const detail = `${method} is not supported here; supported methods are ${allow}.`;
    throw new AppError('method_not_allowed', detail, { headers: { Allow: allow } });
  };
}
