import { once } from 'node:events';
import { connect } from 'node:net';
import { until } from '@tocsin/testing';
import { AppError } from '../app-error.js';
import { createLogger } from '../logger.js';
import { createMetrics } from '../metrics.js';
import { createHttpApp } from './app.js';
import { definePublicRoute, routeDefiner } from './route.js';
import { type HttpServer, listen } from './server.js';

interface Caller {
  name: string;
  workspaces: string[];
}

const defineRoute = routeDefiner<Caller, 'thing_read' | 'thing_write'>();
const own = '11111111-1111-4111-8111-111111111111';
const foreign = '22222222-2222-4222-8222-222222222222';
const missing = '33333333-3333-4333-8333-333333333333';

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

const json = { 'Content-Type': 'application/json' };

function call(
  method: string,
  path: string,
  init: { headers?: Record<string, string>; body?: string | Uint8Array } = {},
) {
  const headers = { Authorization: 'Bearer good', ...init.headers };
  return fetch(server.url + path, { method, ...init, headers });
}

async function patch(body: string | Uint8Array, headers: Record<string, string> = json) {
  const response = await call('PATCH', `/things/${own}`, { headers, body });
  return { status: response.status, problem: (await response.json()) as Record<string, unknown> };
}

describe('access', () => {
  test('a request with more header lines than the server reads gets 431', async () => {
    const lines = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, 'a']));
    expect((await call('GET', `/things/${own}`, { headers: lines(150) })).status).toBe(200);
    for (const count of [201, 3_000]) {
      const response = await call('GET', `/things/${own}`, { headers: lines(count) });
      expect(response.status).toBe(431);
      expect(await response.json()).toMatchObject({ code: 'headers_too_large' });
    }
  });

  test('a public route needs no credential and its response has the security headers', async () => {
    const response = await fetch(`${server.url}/open`);
    expect(await response.text()).toBe('open');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-powered-by')).toBeNull();
  });

  test.each([
    ['GET', `/things/${own}`],
    ['GET', '/things/not-a-uuid'],
    ['GET', '/things/%zz'],
    ['GET', '/nowhere'],
    ['PUT', '/things'],
    ['OPTIONS', '/things'],
    ['OPTIONS', '/open'],
    ['POST', '/open'],
    ['POST', '/fail'],
  ])('a request without a credential gets 401 for %s %s', async (method, path) => {
    const response = await fetch(server.url + path, { method });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.json()).toMatchObject({ code: 'unauthenticated', status: 401 });
  });

  test('a resource of another workspace gets 403 and a missing one gets 404', async () => {
    expect((await call('GET', `/things/${own}`)).status).toBe(200);
    expect((await call('GET', `/things/${foreign}`)).status).toBe(403);
    expect((await call('GET', `/things/${missing}`)).status).toBe(404);
  });

  test('the permission is checked before the body is read', async () => {
    const response = await call('PATCH', `/things/${foreign}`, { headers: json, body: '{broken' });
    expect(response.status).toBe(403);
  });
});

describe('paths and methods', () => {
  test('an unsupported method of a known path gets 405 with the supported methods', async () => {
    const response = await call('DELETE', `/things/${own}`);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD, PATCH');
  });

  test('an unknown path gets 404 with a problem document', async () => {
    const response = await call('GET', '/nowhere');
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
  });

  test('HEAD responds like GET without the body', async () => {
    const response = await call('HEAD', `/things/${own}`);
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  test.each(['/things/%zz', '/things/%', '/things/%ff'])(
    'a path with the malformed escape %s gets 400',
    async (path) => {
      const response = await call('GET', path);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: 'invalid_request' });
    },
  );

  test.each(['/things/1', '/things/%00', "/things/'%20or%201=1--", `/things/urn:uuid:${own}`])(
    'the path %s with a malformed id gets 422',
    async (path) => {
      const response = await call('GET', path);
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({ errors: [{ path: 'thing_id' }] });
    },
  );
});

describe('query', () => {
  test('query values are coerced to the types of the schema', async () => {
    const response = await call('GET', '/things?limit=7&force=true&status=a&status=b&name=a+b%20c');
    expect(await response.json()).toEqual({ limit: 7, force: true, status: ['a', 'b'], name: 'a b c' });
  });

  test.each([
    ['limit=seven', 'limit', 'must be a whole number'],
    ['limit=1000', 'limit', 'must be <= 100'],
    ['limit=1&limit=2', 'limit', 'must be given once'],
    ['status=c', 'status/0', 'must be one of "a", "b"'],
    ['name=%00', 'name', 'must not contain a NUL character'],
    ['color=red', 'color', 'is not a known property; known are limit, force, status, name'],
    ['__proto__=1', '__proto__', 'is not a known property; known are limit, force, status, name'],
  ])('the invalid query %s is refused with 422 and the reason', async (query, path, message) => {
    const response = await call('GET', `/things?${query}`);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ path, message }] });
  });

  test('a malformed escape in the query gets 400', async () => {
    expect((await call('GET', '/things?name=%e0%a4%a')).status).toBe(400);
  });
});

describe('bodies', () => {
  test('a valid body reaches the handler unchanged', async () => {
    const body = { name: 'Zoë 🚨', size: 3, labels: { constructor: 'x', toString: 'y' } };
    expect((await patch(JSON.stringify(body))).problem).toEqual(body);
  });

  test.each([
    ['{"name":', 400, 'malformed_json'],
    ['{"name":"a"}x', 400, 'malformed_json'],
    [Uint8Array.of(0x22, 0xff, 0x22), 400, 'malformed_json'],
    [`{"name":"${'x'.repeat(30_000)}"}`, 413, 'payload_too_large'],
    ['['.repeat(10_000), 400, 'malformed_json'],
    ['['.repeat(9_000) + ']'.repeat(9_000), 422, 'validation_failed'],
    ['', 400, 'invalid_request'],
    [' \n', 400, 'invalid_request'],
    ['null', 422, 'validation_failed'],
    ['[]', 422, 'validation_failed'],
  ])(
    'the invalid body of case %# is refused with the expected status and code',
    async (body, status, code) => {
      expect(await patch(body)).toMatchObject({ status, problem: { code } });
    },
  );

  test.each([
    ['{}', '/name', 'is required'],
    ['{"name":1}', '/name', 'must be a string'],
    ['{"name":""}', '/name', 'must not be empty'],
    ['{"name":"a","size":-1}', '/size', 'must be >= 0'],
    ['{"name":"a","size":1e400}', '/size', 'must be a whole number'],
    ['{"name":"a","extra":1}', '/extra', 'is not a known property; known are name, size, labels'],
    ['{"name":"a\\u0000b"}', '/name', 'must not contain a NUL character'],
    ['{"name":"\\ud800"}', '/name', 'must not contain a lone surrogate'],
    ['{"name":"a","labels":{"a/b":"\\udfff"}}', '/labels/a~1b', 'must not contain a lone surrogate'],
    ['{"name":"a","labels":{"\\u0000":"x"}}', '/labels', 'has a name that must not contain a NUL character'],
    ['{"name":"a","__proto__":{"x":1}}', '/__proto__', 'is not an allowed name'],
    ['{"name":"a","labels":{"__proto__":"x"}}', '/labels/__proto__', 'is not an allowed name'],
  ])('the invalid body %s is refused with 422, a path and the reason', async (body, path, message) => {
    expect(await patch(body)).toMatchObject({ status: 422, problem: { errors: [{ path, message }] } });
  });

  test('all errors of a small body are reported, up to 20', async () => {
    const { problem } = await patch('{"size":"x","one":1,"two":2}');
    expect((problem.errors as unknown[]).length).toBe(4);
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key${index}`, 1]));
    expect(((await patch(JSON.stringify(many))).problem.errors as unknown[]).length).toBe(20);
  });

  test.each([
    [8_000, 200],
    [9_000, 200],
  ])('a body of %i bytes in one-byte chunks gets status %i', async (bytes, status) => {
    const body = `{"name":"${'x'.repeat(bytes - 11)}"}`;
    const chunks = [...body].map((byte) => `1\r\n${byte}\r\n`).join('');
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      `PATCH /things/${own} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n` +
        `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
    );
    const [head] = await once(socket, 'data');
    socket.destroy();
    expect(String(head)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  test.each<Record<string, string>>([
    { 'Content-Type': 'text/plain' },
    { 'Content-Type': 'application/json; charset=latin1' },
    { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
  ])('a body with the headers %o gets 415', async (headers) => {
    expect((await patch('{"name":"a"}', headers)).status).toBe(415);
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'the media type %s is accepted',
    async (type) => {
      expect((await patch('{"name":"a"}', { 'Content-Type': type })).status).toBe(200);
    },
  );
});

describe('errors and logs', () => {
  test('an unexpected error gets a 500, and its cause is only in the log', async () => {
    const response = await call('POST', '/fail');
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).not.toContain('secret detail');
    await until('it is logged', () => lines.length === 1);
    expect(lines[0]).toMatchObject({ level: 'error', err: { message: 'secret detail' }, route: '/fail' });
  });

  test('each request writes one log line with its route, caller and id', async () => {
    const response = await call('GET', `/things/${own}`, { headers: { 'X-Request-Id': 'abc-1' } });
    expect(response.headers.get('x-request-id')).toBe('abc-1');
    await until('it is logged', () => lines.length === 1);
    expect(lines[0]).toMatchObject({
      msg: 'http.request',
      route: '/things/{thing_id}',
      request_id: 'abc-1',
      principal: 'ada',
      status: 200,
    });
    expect((await metrics.expose()).text).toContain('route="/things/{thing_id}"');
  });

  test.each([
    ['GET', '/things/not-a-uuid?limit=1', '/things/{thing_id}'],
    ['HEAD', '/things/', '/things'],
    ['GET', '/things/%zz', '/things/{thing_id}'],
    ['POST', '/fail', '/fail'],
    ['POST', '/things', 'none'],
    ['GET', '/things/1/more', 'none'],
    ['GET', '/Things', 'none'],
  ])('an unauthenticated %s %s is counted under the route %s', async (method, path, route) => {
    expect((await fetch(server.url + path, { method })).status).toBe(401);
    await until('it is logged', () => lines.length === 1);
    expect(lines[0]).toMatchObject({ status: 401, route });
    const counted = `method="${method}",route="${route}",status="401"}`;
    expect((await metrics.expose()).text).toContain(counted);
  });

  test('a request id with unsafe characters is replaced', async () => {
    const response = await call('GET', '/things', { headers: { 'X-Request-Id': 'a b"{}' } });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    ['no Host header', ''],
    ['two Authorization headers', 'Host: x\r\nAuthorization: Bearer a\r\nauthorization: Bearer a\r\n'],
    ['an unsupported Expect header', 'Host: x\r\nExpect: the-unexpected\r\n'],
  ])('a request with %s gets a problem document and the connection stays open', async (_name, header) => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`GET /open HTTP/1.1\r\n${header}\r\nGET /open HTTP/1.1\r\nHost: x\r\n\r\n`);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    await until('both responses have arrived', () => text.endsWith('open'));
    socket.destroy();
    expect(text).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(text).toContain('Content-Type: application/problem+json');
    expect(text).toContain('"code":"invalid_request"');
  });

  test('a client that disconnects while sending its body is logged as 499', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      `PATCH /things/${own} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n` +
        'Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"name"',
    );
    setTimeout(() => socket.destroy(), 50);
    await until('it is logged', () => lines.length === 1);
    expect(lines[0]).toMatchObject({ level: 'info', status: 499 });
  });
});
