import { AppError } from '../../src/app-error.js';
import { createHttpApp } from '../../src/http/app.js';
import { definePublicRoute, routeDefiner } from '../../src/http/route.js';
import { type HttpServer, listen } from '../../src/http/server.js';
import { createLogger } from '../../src/logger.js';
import { createMetrics } from '../../src/metrics.js';

interface Caller {
  name: string;
  workspaces: string[];
}

const defineRoute = routeDefiner<Caller, 'thing_read' | 'thing_write'>();
export const own = '11111111-1111-4111-8111-111111111111';
export const foreign = '22222222-2222-4222-8222-222222222222';
export const missing = '33333333-3333-4333-8333-333333333333';

const thingParams = {
  type: 'object',
  properties: { thing_id: { type: 'string', format: 'uuid' } },
  required: ['thing_id'],
} as const;

const locateThing = async ({ thing_id }: { thing_id: string }) => {
  if (thing_id === missing) throw new AppError('not_found', 'There is no such thing.');
  return { workspaceId: thing_id, resource: { id: thing_id } };
};

const routes = [
  definePublicRoute({
    method: 'GET',
    path: '/open',
    operationId: 'open',
    summary: 'Open.',
    tag: 'test',
    access: 'public',
    responses: { 200: { description: 'ok', contentType: 'text/plain' } },
    handler: () => ({ status: 200, body: 'open' }),
  }),
  defineRoute({
    method: 'GET',
    path: '/things/{thing_id}',
    operationId: 'getThing',
    summary: 'A thing.',
    tag: 'test',
    access: { permission: 'thing_read', locate: locateThing },
    params: thingParams,
    responses: {
      200: { description: 'ok', schema: { type: 'object', properties: { id: { type: 'string' } } } },
    },
    handler: ({ resource }) => ({ status: 200, body: { id: resource.id } }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/things/{thing_id}',
    operationId: 'patchThing',
    summary: 'Changes a thing.',
    tag: 'test',
    access: { permission: 'thing_write', locate: locateThing },
    params: thingParams,
    body: {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1 },
        size: { type: 'integer', minimum: 0 },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
      required: ['name'],
      additionalProperties: false,
    },
    responses: { 200: { description: 'ok', schema: { type: 'object' } } },
    handler: ({ body }) => ({ status: 200, body }),
  }),
  defineRoute({
    method: 'GET',
    path: '/things',
    operationId: 'listThings',
    summary: 'Things.',
    tag: 'test',
    access: 'token',
    query: {
      type: 'object',
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 100 },
        force: { type: 'boolean' },
        status: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
        name: { type: 'string' },
      },
      additionalProperties: false,
    },
    responses: { 200: { description: 'ok', schema: { type: 'object' } } },
    handler: ({ query }) => ({ status: 200, body: { ...query } }),
  }),
  defineRoute({
    method: 'POST',
    path: '/things/batch',
    operationId: 'createThings',
    summary: 'Creates things.',
    tag: 'test',
    access: 'token',
    responses: { 204: { description: 'Created.' } },
    handler: () => ({ status: 204 }),
  }),
  defineRoute({
    method: 'POST',
    path: '/fail',
    operationId: 'fail',
    summary: 'Fails.',
    tag: 'test',
    access: 'token',
    responses: { 204: { description: 'Never sent.' } },
    handler: () => {
      throw new Error('secret detail');
    },
  }),
];

export const json = { 'Content-Type': 'application/json' };

/** Starts a server with the routes of this module before all tests of a file, and closes it after them. */
export function useThingsApp() {
  /** Log lines of the current test. */
  const lines: Record<string, unknown>[] = [];
  const metrics = createMetrics({ service: 'test' });
  let server: HttpServer;

  beforeAll(async () => {
    const write = (line: string) => void lines.push(JSON.parse(line));
    const app = createHttpApp<Caller>({
      logger: createLogger({ service: 'test', level: 'info', destination: { write } }),
      metrics,
      routes,
      authenticate: async ({ authorization }) => {
        if (authorization !== 'Bearer good') throw new AppError('unauthenticated', 'A token is required.');
        return { name: 'ada', workspaces: [own] };
      },
      authorize: (caller, permission, workspaceId) => {
        if (workspaceId !== null && caller.workspaces.includes(workspaceId)) return;
        throw new AppError('forbidden', `This needs ${permission}.`);
      },
      describePrincipal: ({ name }) => name,
      bodyLimitBytes: 20_000,
    });
    server = await listen(app, { host: '127.0.0.1', port: 0 });
  });
  afterAll(() => server.close(1_000));
  beforeEach(() => lines.splice(0));

  const call = (
    method: string,
    path: string,
    init: { headers?: Record<string, string>; body?: string | Uint8Array } = {},
  ) => {
    const headers = { Authorization: 'Bearer good', ...init.headers };
    return fetch(server.url + path, { method, ...init, headers });
  };
  return {
    lines,
    metrics,
    get url() {
      return server.url;
    },
    get port() {
      return server.port;
    },
    call,
    /** Sends a PATCH with this body to the thing in the caller's workspace. */
    async patch(body: string | Uint8Array, headers: Record<string, string> = json) {
      const response = await call('PATCH', `/things/${own}`, { headers, body });
      return { status: response.status, problem: (await response.json()) as Record<string, unknown> };
    },
  };
}
