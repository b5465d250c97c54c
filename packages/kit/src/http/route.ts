import type { FromSchema, JSONSchema } from 'json-schema-to-ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'ALL';

/** The type of a value that a schema describes; no schema, no value. */
export type Value<S> = S extends JSONSchema ? FromSchema<S> : undefined;

export interface ResponseSpec {
  description: string;
  /** The body's schema; without one and without a `contentType` there is no body. */
  schema?: JSONSchema;
  /** `application/json` unless given; with any other the body is a string or bytes, sent as it is. */
  contentType?: string;
  /** Header name → description, for the OpenAPI document. */
  headers?: Readonly<Record<string, string>>;
}

export type ResponseSpecs = Readonly<Record<number, ResponseSpec>>;

type BodyOf<S extends ResponseSpec> = S['contentType'] extends string
  ? { body: string | Uint8Array }
  : S['schema'] extends JSONSchema
    ? { body: Frozen<FromSchema<S['schema']>> | Pages<FromSchema<S['schema']>> }
    : { body?: undefined };

/** An array that is too long to be held whole: it is sent page by page, as fast as it is read. */
type Pages<T> = T extends readonly (infer Item)[] ? AsyncIterable<readonly Frozen<Item>[]> : never;

/** Bodies are only read, so that arrays and objects written in place fit however they were inferred. */
type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

export type ResponseHeaders = Record<string, string | string[]>;

/** One of the declared statuses, with the body that is declared for it. */
export type RouteResponse<R extends ResponseSpecs> = {
  [Status in keyof R & number]: { status: Status; headers?: ResponseHeaders } & BodyOf<R[Status]>;
}[keyof R & number];

/** Where a request acts: the workspace, or `null` for the whole deployment, and what was read to find it out. */
export interface Located<Resource> {
  workspaceId: string | null;
  resource: Resource;
}

/**
 * `locate` runs before the permission is judged and before the body is read. It finds the workspace that the
 * request acts on, from the path or by reading the resource, and throws `not_found` where no such id exists: so
 * 404 is only for what does not exist, and 403 for what exists and is not the caller's.
 */
export interface PermissionAccess<Permission, Params, Resource> {
  permission: Permission;
  locate(params: Params, signal: AbortSignal): Located<Resource> | Promise<Located<Resource>>;
}

/** `public` asks for nothing, `token` for any valid credential. */
type Access<Permission, Params, Resource> =
  | 'public'
  | 'token'
  | PermissionAccess<Permission, Params, Resource>;

export interface RouteContext<Principal, Params, Query, Body, Resource> {
  principal: Principal;
  params: Params;
  query: Query;
  body: Body;
  /** What `locate` read. */
  resource: Resource;
  requestId: string;
  /** Aborted when the client goes away before it was answered. */
  signal: AbortSignal;
  /** Adds fields to the request's one log line. No secrets. */
  log(fields: Record<string, unknown>): void;
}

interface RouteText {
  method: HttpMethod;
  /** In OpenAPI's notation: `/webhooks/{webhook_id}`. */
  path: string;
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
}

interface RouteSchemas {
  params?: JSONSchema | undefined;
  /** Values are coerced from text; a parameter of type array may be repeated. */
  query?: JSONSchema | undefined;
  /** A missing body is taken as `{}`; the schema says whether that is enough. */
  body?: JSONSchema | undefined;
  responses: ResponseSpecs;
  /** Codes of problems that are not the same for every route, for the document. */
  problems?: readonly number[];
}

/** A route as data, the types of its schemas erased: what `createHttpApp` serves and the OpenAPI document shows. */
export interface Route<Principal = unknown> extends RouteText, RouteSchemas {
  access: Access<string, never, unknown>;
  handler(context: RouteContext<Principal, never, never, never, never>): unknown;
}

/** A route as it is written, its types from its own schemas. */
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
  responses: R;
  problems?: readonly number[];
  handler(context: RouteContext<Principal, Value<P>, Value<Q>, Value<B>, Resource>): Result | Promise<Result>;
}
