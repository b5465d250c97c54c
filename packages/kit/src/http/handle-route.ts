import type { Request, RequestHandler, Response } from 'express';
import { AppError, type FieldError } from '../app-error.js';
import { findBadText } from '../bad-text.js';
import type { TimeBudget } from '../concurrency/time-budget.js';
import { parseJsonBody, readJsonBody } from './json-body.js';
import { parseQuery } from './parse-query.js';
import type { BodyReader } from './read-body.js';
import { respond } from './respond.js';
import type { PermissionAccess, ResponseHeaders, Route } from './route.js';
import type { CompileSchema, SchemaCheck } from './schema-check.js';

export interface AuthenticateInput {
  /** The `Authorization` header as it came. */
  authorization: string | undefined;
  signal: AbortSignal;
}

export interface RoutePolicy<Principal> {
  authenticate(input: AuthenticateInput): Promise<Principal>;
  authorize(principal: Principal, permission: string, workspaceId: string | null): void;
  admit?(request: { principal: Principal; route: Route<Principal> }): void;
  describePrincipal?(principal: Principal): string;
  readBody: BodyReader;
  /** Of the thread, by principal, for what bodies take to be parsed and checked. */
  bodyTime: TimeBudget;
  compileSchema: CompileSchema;
}

// An alert is smaller, however it is written. Such a body takes less than a millisecond, and requests are counted.
const freeBelowBytes = 16_384;
// Above this a body's faults are not all listed, see createSchemaCompiler.
const listAllBelowBytes = 65_536;

/** One route as an express handler: admit → params → locate and permission → query → body → handler → respond. */
export function compileRoute<Principal>(
  route: Route<Principal>,
  policy: RoutePolicy<Principal>,
): RequestHandler {
  const checks = compileChecks(route, policy.compileSchema);
  // The schemas have been checked when the handler is called; their types were when the route was defined.
  const handle = route.handler as unknown as (context: object) => Promise<HandlerResult>;
  return async (request, response) => {
    const tracked = response.locals.request;
    tracked.route = route.path;
    const principal = response.locals.principal as Principal;
    if (route.access !== 'public') policy.admit?.({ principal, route });
    const params = checkParams(request, checks.params);
    const resource = await authorizeRoute({ route, policy, principal, params, signal: tracked.signal });
    const query = checkQuery(request, route, checks.query);
    const body = checks.body && (await checkBody({ request, policy, principal, check: checks.body }));
    const { id: requestId, signal, log } = tracked;
    const result = await handle({ principal, params, query, body, resource, requestId, signal, log });
    const contentType = route.responses[result.status]?.contentType;
    await respond(response as Response, { ...result, contentType });
  };
}

interface HandlerResult {
  status: number;
  headers?: ResponseHeaders;
  body?: unknown;
}

interface RouteChecks {
  params: SchemaCheck | undefined;
  query: SchemaCheck | undefined;
  body: SchemaCheck | undefined;
}

function compileChecks({ params, query, body }: Route<never>, compileSchema: CompileSchema): RouteChecks {
  return {
    params: params === undefined ? undefined : compileSchema(params),
    query: query === undefined ? undefined : compileSchema(query, { coerce: true }),
    body: body === undefined ? undefined : compileSchema(body),
  };
}

function checkParams(request: Request, check: SchemaCheck | undefined): unknown {
  const { params } = request;
  refuse('The path is not valid.', nameFaults(params, check?.(params)));
  return params;
}

async function authorizeRoute<Principal>({
  route,
  policy,
  principal,
  params,
  signal,
}: AuthorizeInput<Principal>) {
  if (typeof route.access === 'string') return undefined;
  const { permission, locate } = route.access as PermissionAccess<string, unknown, unknown>;
  const { workspaceId, resource } = await locate(params, signal);
  policy.authorize(principal, permission, workspaceId);
  return resource;
}

interface AuthorizeInput<Principal> {
  route: Route<Principal>;
  policy: RoutePolicy<Principal>;
  principal: Principal;
  params: unknown;
  signal: AbortSignal;
}

function checkQuery(request: Request, route: Route<never>, check: SchemaCheck | undefined): unknown {
  if (!check) return undefined;
  const query = parseQuery(request.originalUrl, route.query);
  refuse('The query is not valid.', nameFaults(query, check(query)));
  return query;
}

async function checkBody<Principal>({ request, policy, principal, check }: CheckBodyInput<Principal>) {
  const caller = policy.describePrincipal?.(principal) ?? '';
  const bytes = await readJsonBody(request, { read: policy.readBody, owner: caller });
  const parse = () => {
    const value = parseJsonBody(bytes);
    refuse('The request body is not valid.', check(value, { listAll: bytes.length <= listAllBelowBytes }));
    return value;
  };
  if (bytes.length < freeBelowBytes) return parse();
  const decision = policy.bodyTime.check(caller);
  if (!decision.allowed) {
    const { retryAfterSeconds } = decision;
    const detail = 'Your requests have taken too much time to parse within the last seconds.';
    throw new AppError('too_many_requests', detail, { retryAfterSeconds });
  }
  const startedAtMs = performance.now();
  try {
    return parse();
  } finally {
    policy.bodyTime.charge(caller, performance.now() - startedAtMs);
  }
}

interface CheckBodyInput<Principal> {
  request: Request;
  policy: RoutePolicy<Principal>;
  principal: Principal;
  check: SchemaCheck;
}

/** Parameters are named by name, not by pointer. */
function nameFaults(values: object, faults: FieldError[] = []): FieldError[] {
  const bad = findBadText(values);
  return (bad ? [bad] : faults).map(({ path, message }) => ({ path: path.replace(/^\//, ''), message }));
}

function refuse(detail: string, errors: FieldError[]): void {
  if (errors.length > 0) throw new AppError('validation_failed', detail, { errors });
}
