import { type RequestHandler, Router } from 'express';
import { AppError } from '../app-error.js';
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
  for (const route of routes) {
    router[expressMethod(route.method)](toExpressPath(route.path), ...routeMiddleware(route, policy));
  }
  for (const [path, methods] of methodsByPath(routes)) {
    router.all(toExpressPath(path), policy.authenticate, refuseMethod(methods));
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
