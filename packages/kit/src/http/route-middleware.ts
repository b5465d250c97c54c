import type { Request, RequestHandler, Response } from 'express';
import type { JSONSchema } from 'json-schema-to-ts';
import { AppError, type FieldError, invalidBody, invalidQuery } from '../app-error.js';
import { findInvalidText } from '../invalid-text.js';
import type { Tracing } from '../tracing/span.js';
import { createBodyCheck } from './body-check.js';
import type { JsonBodyParser } from './json-body.js';
import { parseQuery } from './parse-query.js';
import { traceRequests } from './request-tracing.js';
import { type HandlerResult, jsonContentType, respond } from './respond.js';
import {
  type FurtherErrors,
  noParameters,
  type PermissionAccess,
  querySchemaOf,
  type Route,
} from './route.js';
import { type CompileSchema, maxErrors } from './schema-check.js';
import { acceptedAgeMs, type SharedResponses } from './shared-responses.js';

export interface RoutePolicy<Principal> {
  /** Source of spans; undefined if tracing is off. */
  tracing?: Tracing | undefined;
  authenticate: RequestHandler;
  authorize(principal: Principal, permission: string, workspaceId: string | null): void;
  admit?(request: { principal: Principal; route: Route<Principal> }): void;
  admitToWorkspace?(request: { workspaceId: string; route: Route<Principal> }): void;
  describePrincipal?(principal: Principal): string;
  audienceOf?(principal: Principal, workspaceId: string): string | undefined;
  parseBody: JsonBodyParser;
  compileSchema: CompileSchema;
  sharedResponses: SharedResponses;
}

/** Validated parts of a request, in `response.locals.input`. They are passed to the route's handler. */
interface RouteInput {
  params?: unknown;
  query?: unknown;
  body?: unknown;
  resource?: unknown;
  /** Workspace of the request; null for the whole deployment, undefined for a route without a permission. */
  workspaceId?: string | null;
}

declare global {
  namespace Express {
    interface Locals {
      input: RouteInput;
    }
  }
}

/**
 * Returns the express handlers of a route, in order. The caller is authenticated before any part of the request is
 * validated. The permission is checked after the path is validated, and before the query and the body are read.
 */
export function routeMiddleware<Principal>(
  route: Route<Principal>,
  policy: RoutePolicy<Principal>,
): RequestHandler[] {
  const { path, access, params, body } = route;
  const query = querySchemaOf(route);
  const { tracing } = policy;
  return [
    labelRoute(path),
    ...(tracing === undefined ? [] : [traceRequests(tracing)]),
    ...(access === 'public' ? [] : [policy.authenticate, admit(route, policy)]),
    validateParams(params, policy),
    ...(typeof access === 'object' ? [authorize(route, access as Access, policy)] : []),
    ...(query === undefined ? [] : [validateQuery(query, policy)]),
    ...(body === undefined ? [] : [validateBody(route, body, policy)]),
    handle(route, policy),
  ];
}

type Access = PermissionAccess<string, unknown, unknown>;

/** Middleware that stores the path of the route, so that the log and metrics of rejected requests also contain it. */
function labelRoute(path: string): RequestHandler {
  return (_request, response, next) => {
    response.locals.request.route = path;
    next();
  };
}

function admit<Principal>(route: Route<Principal>, policy: RoutePolicy<Principal>): RequestHandler {
  return (_request, response, next) => {
    policy.admit?.({ principal: response.locals.principal as Principal, route });
    next();
  };
}

function validateParams<P>(
  schema: JSONSchema | undefined,
  { compileSchema }: RoutePolicy<P>,
): RequestHandler {
  const check = schema === undefined ? undefined : compileSchema(schema);
  return ({ params }, response, next) => {
    const errors = parameterErrors(params, check?.(params));
    if (errors.length > 0) throw new AppError('validation_failed', 'The path is not valid.', { errors });
    response.locals.input = { params };
    next();
  };
}

function authorize<Principal>(
  route: Route<Principal>,
  access: Access,
  policy: RoutePolicy<Principal>,
): RequestHandler {
  return async (_request, response, next) => {
    const { input, principal, request } = response.locals;
    const { workspaceId, resource } = await access.locate(input.params);
    // The ids are added to the log line before the authorization. The authorization throws for a rejected request, and
    // the log line of such a request must contain the ids too.
    if (workspaceId !== null) Object.assign(request.logFields, input.params, { workspace_id: workspaceId });
    policy.authorize(principal as Principal, access.permission, workspaceId);
    if (workspaceId !== null) policy.admitToWorkspace?.({ workspaceId, route });
    Object.assign(input, { resource, workspaceId });
    next();
  };
}

function validateQuery<P>(schema: JSONSchema, { compileSchema }: RoutePolicy<P>): RequestHandler {
  const check = compileSchema(schema, { coerce: true });
  const hasParameters = schema !== noParameters;
  return (request, response, next) => {
    // Most requests have no query, and publishing an alert must stay cheap.
    if (!hasParameters && !request.originalUrl.includes('?')) return next();
    const query = parseQuery(request.originalUrl, schema);
    const errors = parameterErrors(query, check(query));
    if (errors.length > 0) throw invalidQuery(errors);
    response.locals.input.query = query;
    next();
  };
}

function validateBody<Principal>(
  { method, furtherErrors }: Route<Principal>,
  schema: JSONSchema,
  policy: RoutePolicy<Principal>,
): RequestHandler {
  const { compileSchema, describePrincipal, parseBody } = policy;
  const check = createBodyCheck(schema, compileSchema);
  const rejectEmpty = method === 'PATCH';
  return async (request, response, next) => {
    const principal = response.locals.principal as Principal;
    const owner = describePrincipal?.(principal) ?? '';
    const { input } = response.locals;
    const { value, errors, listsAll } = await parseBody(request, { owner, check, rejectEmpty });
    if (errors.length > 0) {
      const list = furtherErrors as FurtherErrors<unknown> | undefined;
      const further = listsAll && isObject(value) ? ((await list?.(value, input.resource)) ?? []) : [];
      throw invalidBody(joinErrors(errors, further));
    }
    input.body = value;
    next();
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Joins the errors of the schema with the errors of later checks, up to 20. An error of a later check is omitted if the
 * schema has already reported an error at the same path or at a parent of the path. The path of the whole body does not
 * count as a parent.
 */
export function joinErrors(errors: FieldError[], further: FieldError[]): FieldError[] {
  const isExplained = ({ path }: FieldError) =>
    errors.some((error) => error.path !== '' && `${path}/`.startsWith(`${error.path}/`));
  return [...errors, ...further.filter((error) => !isExplained(error))].slice(0, maxErrors);
}

function handle<Principal>(route: Route<Principal>, policy: RoutePolicy<Principal>): RequestHandler {
  // The type assertion is safe: earlier middleware has validated the values, and `defineRoute` has checked the
  // handler's types.
  const handler = route.handler as unknown as (context: object) => Promise<HandlerResult>;
  return async (request: Request, response: Response) => {
    const { input, principal, request: context } = response.locals;
    const { id: requestId, traceparent, aborted, logFields } = context;
    const log = (fields: Record<string, unknown>) => Object.assign(logFields, fields);
    const ifMatch = request.headers['if-match'];
    const run = () => handler({ principal, requestId, traceparent, ifMatch, aborted, log, ...input });
    const isShareable = request.method === 'GET' && route.isShareable?.(input.query as never) === true;
    const shared = isShareable ? await readShared(request, response, { policy, run }) : undefined;
    if (shared !== undefined) return respond(response, shared);
    const result = await run();
    return respond(response, { ...result, contentType: route.responses[result.status]?.contentType });
  };
}

/**
 * Returns a shared response with its age. Returns undefined if the request needs its own response. The reasons are: it
 * has no workspace, its caller has no audience (`audienceOf`), it accepts only a new response (`acceptedAgeMs` is 0),
 * or the response is too long to share. If only a new response is accepted, the stored response is discarded.
 */
async function readShared<Principal>(
  { headers, originalUrl }: Request,
  { locals: { input, principal } }: Response,
  { policy, run }: { policy: RoutePolicy<Principal>; run: () => Promise<HandlerResult> },
) {
  if (input.workspaceId == null) return undefined;
  const audience = policy.audienceOf?.(principal as Principal, input.workspaceId);
  if (audience === undefined) return undefined;
  const key = `${audience} ${originalUrl}`;
  const maxAgeMs = acceptedAgeMs(headers['cache-control']);
  if (maxAgeMs === 0) {
    policy.sharedResponses.discard(key);
    return undefined;
  }
  const shared = await policy.sharedResponses.get(key, maxAgeMs, run);
  if (shared === undefined) return undefined;
  const age = Math.trunc((performance.now() - shared.readAtMs) / 1_000);
  return { ...shared, headers: { ...shared.headers, Age: String(age) }, contentType: jsonContentType };
}

/**
 * Replaces the JSON pointers in errors of path and query by the names of the parameters: `limit` instead of `/limit`.
 * If a parameter contains invalid text, only the error about this text is returned.
 */
function parameterErrors(values: object, errors: FieldError[] = []): FieldError[] {
  const invalidText = findInvalidText(values);
  return (invalidText ? [invalidText] : errors).map(({ path, message }) => ({
    path: path.replace(/^\//, ''),
    message,
  }));
}
