import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import type { FieldError } from '../app-error.js';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'ALL';

/** An item of an array whose items are checked one by one. */
export type CheckedItem<T> = { ok: true; value: T } | { ok: false; value: unknown; errors: FieldError[] };

/**
 * Type of the values that a schema allows; `undefined` without a schema. With `x-items-apart: true`, the items of an
 * array are checked one by one, so that an invalid item does not reject the others.
 */
export type Value<S> = S extends { 'x-items-apart': true }
  ? CheckedItem<unknown>[]
  : S extends JSONSchema
    ? FromSchema<S>
    : undefined;

export interface ResponseSpec {
  description: string;
  /** Schema of the body. A response without `schema` and `contentType` has no body. */
  schema?: JSONSchema;
  /**
   * Default: `application/json` if there is a `schema`. If a content type is given, the body is text or bytes and is
   * sent unchanged, even if the content type is JSON.
   */
  contentType?: string;
  /** Descriptions of response headers by name, for the OpenAPI document. */
  headers?: Readonly<Record<string, string>>;
}

export type ResponseSpecs = Readonly<Record<number, ResponseSpec>>;

type BodyOf<S extends ResponseSpec> = S['contentType'] extends string
  ? { body: string | Uint8Array }
  : S['schema'] extends JSONSchema
    ? { body: Frozen<FromSchema<S['schema']>> | Pages<FromSchema<S['schema']>> }
    : { body?: undefined };

/**
 * An array in pages. The next page is read only when the send buffer has room, so that few pages are in memory at the
 * same time.
 */
type Pages<T> = T extends readonly (infer Item)[] ? AsyncIterable<readonly Frozen<Item>[]> : never;

/** Makes all members of a type readonly, so that it accepts literals that TypeScript infers as readonly. */
type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

export type ResponseHeaders = Record<string, string | string[]>;

/** A response with one of the declared statuses, and a body that matches its schema. */
export type RouteResponse<R extends ResponseSpecs> = {
  [Status in keyof R & number]: { status: Status; headers?: ResponseHeaders } & BodyOf<R[Status]>;
}[keyof R & number];

/**
 * Target of a request: the resource and its workspace. The workspace is null for a resource of the whole deployment.
 */
export interface RouteTarget<Resource> {
  workspaceId: string | null;
  resource: Resource;
}

/**
 * Access for callers with a permission. `locate` finds the workspace of the request from the path, or by reading the
 * resource. It runs before the permission is checked and before the body is read. For an unknown id it throws
 * `not_found`, so a caller without permission gets 403 for an existing resource and 404 for a missing one.
 */
export interface PermissionAccess<Permission, Params, Resource> {
  permission: Permission;
  locate(params: Params): RouteTarget<Resource> | Promise<RouteTarget<Resource>>;
}

/** A `public` route needs no credential. A `token` route needs any valid credential, and no permission. */
type Access<Permission, Params, Resource> =
  | 'public'
  | 'token'
  | PermissionAccess<Permission, Params, Resource>;

export interface RouteContext<Principal, Params, Query, Body, Resource> {
  principal: Principal;
  params: Params;
  query: Query;
  body: Body;
  /** The resource that `locate` returned. */
  resource: Resource;
  requestId: string;
  /** Value of the header `If-Match`. Several such headers are joined to one list. */
  ifMatch: string | undefined;
  /** Trace context of the request's span, for messages that the handler publishes; undefined while tracing is off. */
  traceparent: string | undefined;
  /** Its signal is aborted when the connection closes before the response is complete. */
  aborted: { readonly signal: AbortSignal };
  /** Adds fields to the log line of the request. The fields must not contain secrets. */
  log(fields: Record<string, unknown>): void;
}

interface RouteText {
  method: HttpMethod;
  /** Path in the notation of OpenAPI: `/webhooks/{webhook_id}`. */
  path: string;
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
}

interface RouteSchemas {
  params?: JSONSchema | undefined;
  /** Schema of the query. Text values are coerced to its types. A parameter of type array can be repeated. */
  query?: JSONSchema | undefined;
  /** Schema of the body. A missing body is validated as `{}`, except for PATCH, which requires a body. */
  body?: JSONSchema | undefined;
  responses: ResponseSpecs;
  /**
   * Statuses of further errors of this route, for the OpenAPI document. Statuses that many routes have, such as 401 and
   * 422, are added to the document automatically.
   */
  problems?: readonly number[];
  /** True if the handler evaluates `If-Match`. The OpenAPI document then shows the header and the status 412. */
  conditional?: boolean;
  /**
   * Returns true for a query whose response is shared by callers that accept a recent one (`Cache-Control: max-age`).
   * The response must depend only on the URL and on the caller's audience. The handler must not use `aborted`, because
   * other callers can wait for the same response.
   */
  isShareable?(query: never): boolean;
}

/**
 * Lists the errors that later checks would find in a body that the schema has rejected, so that one response lists
 * these errors too. The body is not valid, so each member can be missing or have any type.
 */
export type FurtherErrors<Resource> = (
  body: Readonly<Record<string, unknown>>,
  resource: Resource,
) => FieldError[] | Promise<FieldError[]>;

/** A route as data, without the types of its schemas. `createHttpApp` serves it and the OpenAPI document shows it. */
export interface Route<Principal = unknown> extends RouteText, RouteSchemas {
  access: Access<string, never, unknown>;
  furtherErrors?: FurtherErrors<never> | undefined;
  handler(context: RouteContext<Principal, never, never, never, never>): unknown;
}

/** A route with the types of its schemas: the argument of `defineRoute`. */
export interface RouteDefinition<
  Principal,
  A,
  P extends JSONSchema | undefined,
  Q extends JSONSchema | undefined,
  B extends JSONSchema | undefined,
  R extends ResponseSpecs,
  Resource,
  Result,
> extends RouteText {
  access: A;
  params?: P;
  query?: Q;
  body?: B;
  furtherErrors?: FurtherErrors<Resource>;
  responses: R;
  problems?: readonly number[];
  conditional?: boolean;
  isShareable?(query: Value<Q>): boolean;
  handler(context: RouteContext<Principal, Value<P>, Value<Q>, Value<B>, Resource>): Result | Promise<Result>;
}

/**
 * Creates `defineRoute` for one type of principal and one closed list of permissions. The schemas of a route give the
 * types of its handler's params, query, body and response.
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

/**
 * Type of the function that `routeDefiner` returns. A package that exports its `defineRoute` declares it with this
 * type.
 */
export type DefineRoute<Principal, Permission extends string> = ReturnType<
  typeof routeDefiner<Principal, Permission>
>;

/** Defines a route that needs no credential. */
export function definePublicRoute<
  const R extends ResponseSpecs,
  const P extends JSONSchema | undefined = undefined,
  const Q extends JSONSchema | undefined = undefined,
  const Result extends RouteResponse<R> = RouteResponse<R>,
>(route: RouteDefinition<undefined, 'public', P, Q, undefined, R, undefined, Result>): Route<never> {
  return route;
}

/**
 * Returns true if the route rejects a request without a body. A PATCH without a body is treated as a mistake and not as
 * an empty change.
 */
export function requiresBody({ method, body }: Pick<Route<never>, 'method' | 'body'>): boolean {
  if (method === 'PATCH') return true;
  if (typeof body !== 'object') return false;
  const hasConditions = 'anyOf' in body || 'oneOf' in body || 'allOf' in body;
  const minimum = (body.minProperties ?? 0) + (body.minItems ?? 0);
  return hasConditions || (body.required ?? []).length > 0 || minimum > 0;
}

/** Schema of the query of a route that has no query parameters. */
export const noParameters = { type: 'object', additionalProperties: false } as const;

/**
 * Returns the schema that the query of a route must match, or undefined if its query is ignored. Public routes ignore
 * it, and so do routes for all methods: their URL can be the one of another request, which a proxy has received.
 */
export function querySchemaOf({
  method,
  access,
  query,
}: Pick<Route<never>, 'method' | 'access' | 'query'>): JSONSchema | undefined {
  return query ?? (access === 'public' || method === 'ALL' ? undefined : noParameters);
}
