import type { JSONSchema } from 'json-schema-to-ts';
import type {
  PermissionAccess,
  ResponseSpecs,
  Route,
  RouteDefinition,
  RouteResponse,
  Value,
} from './route.js';

/**
 * Gives `defineRoute` for one kind of principal and one closed list of permissions. A handler's params, query,
 * body, loaded resource and response are typed by the route's own schemas.
 */
export function routeDefiner<Principal, Permission extends string>() {
  return function defineRoute<
    const R extends ResponseSpecs,
    const P extends JSONSchema | undefined = undefined,
    const Q extends JSONSchema | undefined = undefined,
    const B extends JSONSchema | undefined = undefined,
    Resource = undefined,
    const Result extends RouteResponse<R> = RouteResponse<R>,
  >(
    route: RouteDefinition<
      Principal,
      'token' | PermissionAccess<Permission, Value<P>, Resource>,
      P,
      Q,
      B,
      R,
      Resource,
      Result
    >,
  ): Route<Principal> {
    return route;
  };
}

/** For a `defineRoute` that a package exports. */
export type DefineRoute<Principal, Permission extends string> = ReturnType<
  typeof routeDefiner<Principal, Permission>
>;

/** A route that asks for no credential. */
export function definePublicRoute<
  const R extends ResponseSpecs,
  const P extends JSONSchema | undefined = undefined,
  const Q extends JSONSchema | undefined = undefined,
  const Result extends RouteResponse<R> = RouteResponse<R>,
>(route: RouteDefinition<undefined, 'public', P, Q, undefined, R, undefined, Result>): Route<never> {
  return route;
}
