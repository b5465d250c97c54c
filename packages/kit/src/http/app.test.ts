import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '@tocsin/testing';
import { foreign, json, missing, own, useThingsApp } from '../../test/support/things-app.js';

const app = useThingsApp();
const { call, lines, metrics } = app;

describe('access to routes', () => {
  test('a request with more than 200 header lines gets 431', async () => {
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
    const response = await fetch(`${app.url}/open`);
    expect(await response.text()).toBe('open');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-powered-by')).toBeNull();
  });

  test.each([
    ['GET', `/things/${own}`],
    ['GET', '/things/not-a-uuid'],
    ['GET', '/nowhere'],
    ['PUT', '/things'],
    ['OPTIONS', '/things'],
    ['OPTIONS', '/open'],
    ['POST', '/open'],
    ['POST', '/fail'],
  ])('the request %s %s without a credential gets 401', async (method, path) => {
    const response = await fetch(app.url + path, { method });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.json()).toMatchObject({ code: 'unauthenticated', status: 401 });
  });

  test('a request for a resource of another workspace gets 403, and for a missing resource 404', async () => {
    expect((await call('GET', `/things/${own}`)).status).toBe(200);
    expect((await call('GET', `/things/${foreign}`)).status).toBe(403);
    expect((await call('GET', `/things/${missing}`)).status).toBe(404);
  });

  test('a request without the permission gets 403, even if its body is malformed', async () => {
    const response = await call('PATCH', `/things/${foreign}`, { headers: json, body: '{broken' });
    expect(response.status).toBe(403);
  });
});

describe('paths and methods of requests', () => {
  test('an unsupported method of a known path gets 405 with the supported methods', async () => {
    const response = await call('DELETE', `/things/${own}`);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD, PATCH');
  });

  test('an unsupported method of a literal path gets 405 even if a path with a parameter matches', async () => {
    const response = await call('GET', '/things/batch');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await call('POST', '/things/batch')).status).toBe(204);
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

  test.each(['/things/%zz', '/things/%', '/things/%ff', '/nowhere/%zz', '/%zz'])(
    'the path %s with a malformed percent escape gets 400, with and without a credential',
    async (path) => {
      for (const response of [await call('GET', path), await fetch(app.url + path)]) {
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({ code: 'invalid_request' });
      }
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

describe('errors and log lines of requests', () => {
  test('an unexpected error gets 500, and its message is only in the log', async () => {
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
    ['POST', '/fail', '/fail'],
    ['POST', '/things', 'none'],
    ['GET', '/things/1/more', 'none'],
    ['GET', '/Things', 'none'],
  ])('an unauthenticated request %s %s is counted under the route %s', async (method, path, route) => {
    expect((await fetch(app.url + path, { method })).status).toBe(401);
    await until('it is logged', () => lines.length === 1);
    expect(lines[0]).toMatchObject({ status: 401, route });
    const counted = `method="${method}",route="${route}",status="401"}`;
    expect((await metrics.expose()).text).toContain(counted);
  });

  test('a request id with unsafe characters is replaced by a generated id', async () => {
    const response = await call('GET', '/things', { headers: { 'X-Request-Id': 'a b"{}' } });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    ['no Host header', ''],
    ['two Authorization headers', 'Host: x\r\nAuthorization: Bearer a\r\nauthorization: Bearer a\r\n'],
    ['an unsupported Expect header', 'Host: x\r\nExpect: the-unexpected\r\n'],
  ])('a request with %s gets a problem document, and the connection stays open', async (_name, header) => {
    const socket = connect(app.port, '127.0.0.1');
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

  test.each([
    ['HTTP/1.0 and no Host header', [200], 'HTTP/1.0\r\n'],
    ['200 header lines', [200], `HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(198)}`],
    ['201 header lines', [431], `HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(199)}`],
    ['Expect in upper case', [100, 200], 'HTTP/1.1\r\nHost: x\r\nExpect: 100-CONTINUE\r\n'],
    ['Authorization as a value', [200], 'HTTP/1.1\r\nHost: x\r\nA: Authorization\r\nAuthorization: a\r\n'],
  ])('a request with %s gets one response for each of the statuses %j', async (_name, statuses, head) => {
    const socket = connect(app.port, '127.0.0.1');
    socket.write(`GET /open ${head}Connection: close\r\n\r\n`);
    const received = [...(await text(socket)).matchAll(/^HTTP\/1.1 (\d+)/gm)].map(([, status]) =>
      Number(status),
    );
    expect(received).toEqual(statuses);
  });

  test.each([
    ['a'.repeat(128), true],
    ['a'.repeat(129), false],
    ['aZ9._~:/+=@-', true],
    ['a b', false],
    ['a,b', false],
  ])('the response repeats the request id %s only if it is safe and short enough: %s', async (id, isUsed) => {
    const response = await call('GET', '/things', { headers: { 'X-Request-Id': id } });
    expect(response.headers.get('x-request-id') === id).toBe(isUsed);
  });

  test('the request of a client that disconnects while sending its body is logged as 499', async () => {
    const socket = connect(app.port, '127.0.0.1');
    socket.write(
      `PATCH /things/${own} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n` +
        'Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"name"',
    );
    setTimeout(() => socket.destroy(), 50);
    await until('it is logged', () => lines.length === 1);
    expect(lines[0]).toMatchObject({ level: 'info', status: 499 });
  });
});
