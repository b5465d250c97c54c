import type { JSONSchema } from 'json-schema-to-ts';
import { problemDescriptions, problemSchema } from './problem.js';
import {
  definePublicRoute,
  type HttpMethod,
  querySchemaOf,
  type ResponseSpec,
  type Route,
  requiresBody,
} from './route.js';
import { exampleOf } from './schema-example.js';

export interface OpenApiOptions {
  info: { title: string; version: string; description?: string };
  routes: readonly Route<never>[];
  /**
   * Token endpoint for service accounts (client credentials). Without this URL, the document describes only the
   * authentication with a bearer token.
   */
  tokenUrl?: string;
  /** Members of the bearer scheme that describe the credential. Default: a JWT of the identity provider. */
  bearer?: { bearerFormat?: string; description: string };
  /** Descriptions of the requests that the service sends, by name, for the member `webhooks` of the document. */
  webhooks?: Readonly<Record<string, object>>;
}

type Json = Record<string, unknown>;
type Components = Map<string, unknown>;

/**
 * Creates the OpenAPI 3.1 document of the routes from the schemas that validate their requests. A schema whose `title`
 * is one PascalCase word becomes a named component. Numbers get `format: double` and constants a `type`, because client
 * generators read a plain number as a 32-bit float, and an untyped constant as any value.
 */
export function createOpenApiDocument(options: OpenApiOptions): Json {
  const { info, routes, tokenUrl, bearer = accessToken, webhooks } = options;
  const components: Components = new Map();
  hoist(problemSchema, components);
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const operations = methodsOf(route.method).map((method) => [
      method,
      describeOperation(route, method, components),
    ]);
    paths[route.path] = { ...paths[route.path], ...Object.fromEntries(operations) };
  }
  return {
    openapi: '3.1.0',
    info,
    security: [{ bearer: [] }, ...(tokenUrl === undefined ? [] : [{ oauth2: [] }])],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    ...(webhooks && { webhooks }),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', ...bearer },
        ...(tokenUrl !== undefined && { oauth2: oauth2(tokenUrl) }),
      },
      schemas: Object.fromEntries(components),
    },
  };
}

const accessToken = {
  bearerFormat: 'JWT',
  description: 'An access token of the identity provider.',
};

function oauth2(tokenUrl: string) {
  return {
    type: 'oauth2',
    description: 'A service account: client id and client secret.',
    flows: { clientCredentials: { tokenUrl, scopes: {} } },
  };
}

/** Returns the route `GET /openapi.json`, which serves `document`. */
export function openApiRoute(document: object): Route<never> {
  const body = JSON.stringify(document);
  return definePublicRoute({
    method: 'GET',
    path: '/openapi.json',
    operationId: 'getOpenApiDocument',
    summary: 'Returns this document.',
    tag: 'service',
    access: 'public',
    responses: { 200: { description: 'An OpenAPI 3.1 document.', contentType: 'application/json' } },
    handler: () => ({ status: 200, body }),
  });
}

function methodsOf(method: HttpMethod): string[] {
  return method === 'ALL' ? ['get', 'post', 'put', 'patch', 'delete'] : [method.toLowerCase()];
}

function describeOperation(route: Route<never>, method: string, components: Components): Json {
  const { operationId, summary, tag, access, body } = route;
  const permission = typeof access === 'object' ? access.permission : undefined;
  return {
    // Operation ids must be unique, and an `ALL` route has one operation for each method.
    operationId: route.method === 'ALL' ? `${operationId}_${method}` : operationId,
    summary,
    description: withAccess(route, permission),
    tags: [tag],
    ...(access === 'public' && { security: [] }),
    ...(permission && { 'x-permission': permission }),
    parameters: [
      ...describeParameters('path', route.params, components),
      ...describeParameters('query', route.query, components),
      ...(route.conditional ? [ifMatch] : []),
      ...(route.isShareable ? [cacheControl] : []),
    ],
    ...(body !== undefined && { requestBody: describeBody(route, body, components) }),
    responses: { ...describeResponses(route, components), ...describeProblems(route) },
  };
}

function withAccess({ description, access }: Route<never>, permission: string | undefined): string {
  const needs = permission === undefined ? 'any valid credential' : `the permission \`${permission}\``;
  const sentence = access === 'public' ? 'It needs no credential.' : `It needs ${needs}.`;
  return description === undefined ? sentence : `${description} ${sentence}`;
}

function describeBody(route: Route<never>, body: JSONSchema, components: Components): Json {
  const content = { schema: hoist(body, components), example: exampleOf(body) };
  return { required: requiresBody(route), content: { 'application/json': content } };
}

function describeParameters(
  location: 'path' | 'query',
  schema: JSONSchema | undefined,
  components: Components,
): Json[] {
  if (typeof schema !== 'object') return [];
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: location,
    required: location === 'path' || required.has(name),
    schema: hoist(property, components),
    // Query parameters get no example, because tools that create requests from the document would send every example
    // as a filter.
    ...(location === 'path' && { example: exampleOf(property) }),
  }));
}

const ifMatch = requestHeader(
  'If-Match',
  'One or several ETags, or `*` (RFC 9110). The change is made only if the resource has one of them. Weak ETags never match. Default: the change is unconditional.',
);

const cacheControl = requestHeader(
  'Cache-Control',
  '`max-age=1` accepts a response that was read for another caller with the same roles at most one second ago; the longest time is 10 seconds (RFC 9111). The header `Age` of the response has its age. Default: the response is read for this request.',
);

function requestHeader(name: string, description: string): Json {
  return { name, in: 'header', required: false, schema: { type: 'string' }, description };
}

function describeResponses({ responses }: Route<never>, components: Components): Json {
  const entries = Object.entries(responses).map(([status, spec]) => [
    status,
    describeResponse(spec, components),
  ]);
  return Object.fromEntries(entries);
}

function describeResponse(
  { description, schema, contentType, headers }: ResponseSpec,
  components: Components,
): Json {
  const type = contentType ?? (schema === undefined ? undefined : 'application/json');
  return {
    description,
    ...describeHeaders(headers),
    ...(type && { content: { [type]: schema === undefined ? {} : describeContent(schema, components) } }),
  };
}

function describeHeaders(headers: ResponseSpec['headers']): Json {
  if (headers === undefined) return {};
  const entries = Object.entries(headers).map(([name, text]) => [
    name,
    { description: text, schema: { type: 'string' } },
  ]);
  return { headers: Object.fromEntries(entries) };
}

function describeContent(schema: JSONSchema, components: Components): Json {
  return { schema: hoist(schema, components), example: exampleOf(schema) };
}

const retryAfter = { 'Retry-After': 'Time until the next request, in seconds.' };

/** Headers that every problem document with the status has. */
const problemHeaders: Readonly<Record<string, Record<string, string>>> = {
  401: { 'WWW-Authenticate': 'The challenge for a bearer token (RFC 6750).' },
  429: retryAfter,
  503: retryAfter,
};

function describeProblems(route: Route<never>): Json {
  const { access, params, body, problems = [], conditional } = route;
  // Every route can return 408 and 431, because the server rejects slow requests and large headers before routing.
  const statuses = new Set<number>([408, 431, ...problems]);
  if (access !== 'public') for (const status of [401, 429, 503]) statuses.add(status);
  if (typeof access === 'object') statuses.add(403);
  if (params ?? querySchemaOf(route) ?? body) for (const status of [400, 422]) statuses.add(status);
  if (body) for (const status of [413, 415]) statuses.add(status);
  if (conditional) statuses.add(412);
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  return Object.fromEntries(
    [...statuses, 'default' as const].map((status) => [
      status,
      {
        description: problemDescriptions[status] ?? 'A problem.',
        ...describeHeaders(problemHeaders[status]),
        content,
      },
    ]),
  );
}

/**
 * Copies a schema. Each part whose `title` is one PascalCase word is stored in `components`, and replaced by a
 * reference. Required members that are missing in an entry of `examples` are added to it.
 */
function hoist(schema: unknown, components: Components): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(withType(schema)).map(([key, value]) => [
      key,
      // Examples are values, and a member named `title` in them names no component.
      key === 'examples' && Array.isArray(value)
        ? value.map((example) => exampleOf({ ...schema, examples: [example] }))
        : hoist(value, components),
    ]),
  );
  const { title } = copy;
  if (typeof title !== 'string' || !/^[A-Z][A-Za-z0-9]*$/.test(title)) return copy;
  components.set(title, copy);
  return { $ref: `#/components/schemas/${title}` };
}

/**
 * Adds the missing `type` of a scalar constant or the missing `format` of a number to a schema. The argument can also
 * be the object in `properties`, which is not a schema. That object is returned unchanged, because its members named
 * `type` and `const` are objects.
 */
function withType(schema: object): object {
  const { type, format, const: constant } = schema as { type?: unknown; format?: unknown; const?: unknown };
  if (type === undefined && isScalar(constant)) return { type: typeOfConstant(constant), ...schema };
  const isNumber = type === 'number' || (Array.isArray(type) && type.includes('number'));
  return isNumber && format === undefined ? { ...schema, format: 'double' } : schema;
}

function isScalar(constant: unknown): boolean {
  return constant === null || ['string', 'number', 'boolean'].includes(typeof constant);
}

function typeOfConstant(constant: unknown): string {
  if (constant === null) return 'null';
  return Number.isInteger(constant) ? 'integer' : typeof constant;
}
