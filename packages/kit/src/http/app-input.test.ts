import { once } from 'node:events';
import { connect } from 'node:net';
import { own, useThingsApp } from '../../test/support/things-app.js';

const app = useThingsApp();
const { call, patch } = app;

/** Returns the path and message of each error in a problem document. */
const errorsOf = (problem: unknown) =>
  (problem as { errors: { path: string; message: string }[] }).errors.map(
    ({ path, message }) => `${path} ${message}`,
  );

describe('the query of a request', () => {
  test('query values are coerced to the types of the schema', async () => {
    const response = await call('GET', '/things?limit=7&force=true&status=a&status=b&name=a+b%20c');
    expect(await response.json()).toEqual({ limit: 7, force: true, status: ['a', 'b'], name: 'a b c' });
  });

  test.each([
    ['limit=seven', 'limit must be a whole number'],
    ['limit=1000', 'limit must be <= 100'],
    ['limit=Infinity', 'limit must be a finite number'],
    ['limit=1e999', 'limit must be a finite number'],
    ['limit=-1e999', 'limit must be a finite number'],
    ['limit=NaN', 'limit must be a whole number'],
    ['limit=1&limit=2', 'limit must be given once'],
    ['status=c', 'status/0 must be one of "a", "b"'],
    ['name=%00', 'name must not contain a NUL character'],
    ['color=red', 'color is not a known property; known are limit, force, status, name'],
    ['__proto__=1', '__proto__ is not a known property; known are limit, force, status, name'],
  ])('the invalid query %s is rejected with 422 and the reason', async (query, error) => {
    const response = await call('GET', `/things?${query}`);
    expect(response.status).toBe(422);
    expect(errorsOf(await response.json())).toEqual([error]);
  });

  test('a route without query parameters rejects a query, and ignores an empty one', async () => {
    const response = await call('GET', `/things/${own}?limit=1`);
    expect(response.status).toBe(422);
    expect(errorsOf(await response.json())).toEqual(['limit is not a known property']);
    expect((await call('GET', `/things/${own}?%`)).status).toBe(400);
    expect((await call('GET', `/things/${own}?`)).status).toBe(200);
  });

  test('a public route ignores its query', async () => {
    expect((await call('GET', '/open?probe=1')).status).toBe(200);
  });

  test('a malformed percent escape in the query gets 400', async () => {
    expect((await call('GET', '/things?name=%e0%a4%a')).status).toBe(400);
  });
});

describe('the body of a request', () => {
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
    [' \n\t\r', 400, 'invalid_request'],
    ['null', 422, 'validation_failed'],
    ['[]', 422, 'validation_failed'],
  ])(
    'a malformed, oversized, empty or mistyped body is rejected with a code (case %#)',
    async (body, status, code) => {
      expect(await patch(body)).toMatchObject({ status, problem: { code } });
    },
  );

  test.each([
    ['{}', '/name is required'],
    ['{"name":1}', '/name must be a string'],
    ['{"name":""}', '/name must not be empty'],
    ['{"name":"a","size":-1}', '/size must be >= 0'],
    ['{"name":"a","size":1e400}', '/size must be a whole number'],
    ['{"name":"a","extra":1}', '/extra is not a known property; known are name, size, labels'],
    ['{"name":"a\\u0000b"}', '/name must not contain a NUL character'],
    ['{"name":"\\ud800"}', '/name must not contain a lone surrogate'],
    ['{"name":"a","labels":{"a/b":"\\udfff"}}', '/labels/a~1b must not contain a lone surrogate'],
    ['{"name":"a","labels":{"\\u0000":"x"}}', '/labels has a name that must not contain a NUL character'],
    ['{"name":"a","__proto__":{"x":1}}', '/__proto__ is not an allowed name'],
    ['{"name":"a","labels":{"__proto__":"x"}}', '/labels/__proto__ is not an allowed name'],
  ])('the invalid body %s is rejected with 422, a path and the reason', async (body, error) => {
    const { status, problem } = await patch(body);
    expect([status, errorsOf(problem)]).toEqual([422, [error]]);
  });

  test('up to 20 errors of a small body are reported', async () => {
    const { problem } = await patch('{"size":"x","one":1,"two":2}');
    expect((problem.errors as unknown[]).length).toBe(4);
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key${index}`, 1]));
    expect(((await patch(JSON.stringify(many))).problem.errors as unknown[]).length).toBe(20);
  });

  test.each([
    [8_000, 200],
    [9_000, 200],
    [20_000, 200],
    [20_001, 413],
  ])('a body of %i bytes in one-byte chunks gets status %i', async (bytes, status) => {
    const body = `{"name":"${'x'.repeat(bytes - 11)}"}`;
    const chunks = [...body].map((byte) => `1\r\n${byte}\r\n`).join('');
    const socket = connect(app.port, '127.0.0.1');
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
    { 'Content-Type': 'application/jsonp' },
    { 'Content-Type': 'application/json; charset=latin1' },
    { 'Content-Type': 'application/json; charset=utf-8; version=1' },
    { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
  ])('a body with the headers %o gets 415', async (headers) => {
    expect((await patch('{"name":"a"}', headers)).status).toBe(415);
  });

  test.each([
    'application/json',
    'application/json;',
    'application/json \t; charset=utf8 ;',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
  ])('a body with the media type %j and the content coding identity is accepted', async (type) => {
    const headers = { 'Content-Type': type, 'Content-Encoding': 'Identity' };
    expect((await patch('{"name":"a"}', headers)).status).toBe(200);
  });
});
