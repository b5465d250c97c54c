import { type RawServer, startRawServer } from '@tocsin/testing';
import { createSender, parseCidrs, type Sender } from '../src/index.js';

let server: RawServer;
let sender: Sender;

beforeEach(async () => {
  server = await startRawServer((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'));
  sender = createSender({ allow: parseCidrs(['127.0.0.0/8']) });
});

afterEach(async () => {
  await sender.close();
  await server.close();
});

test('configured headers are sent unchanged; Host, Connection and Content-Length are added', async () => {
  const headers = JSON.parse(
    '{"X-Zulu": ["1", "2"], "content-TYPE": ["text/x"], "x-empty": [""], "X-None": [], "__proto__": ["p"], "Alpha": ["a, b"]}',
  );
  await sender.send({ url: `${server.url}?q=1&r=%20#f`, headers, body: '{"a":1}' });
  expect(server.requests[0]?.split('\r\n')).toEqual([
    'POST /hook?q=1&r=%20 HTTP/1.1',
    `host: 127.0.0.1:${server.port}`,
    'connection: keep-alive',
    'X-Zulu: 1',
    'X-Zulu: 2',
    'content-TYPE: text/x',
    'x-empty: ',
    '__proto__: p',
    'Alpha: a, b',
    'content-length: 7',
    '',
    '{"a":1}',
  ]);
});

test('the sender ignores proxy variables and adds only Host, Connection and Content-Length', async () => {
  const before = { ...process.env };
  Object.assign(process.env, {
    http_proxy: 'http://127.0.0.1:1',
    HTTP_PROXY: 'http://127.0.0.1:1',
    ALL_PROXY: 'http://127.0.0.1:1',
  });
  try {
    await sender.send({ url: server.url, headers: {}, body: '' });
  } finally {
    process.env = before;
  }
  expect(server.requests).toEqual([
    `POST /hook HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n`,
  ]);
});

test('a header that HTTP clients usually add is sent only as it was configured', async () => {
  const headers = {
    'User-Agent': ['mine'],
    accept: ['*/*'],
    'Accept-Encoding': ['gzip'],
    'Content-Encoding': ['identity'],
    Authorization: ['Basic eDp5'],
    Cookie: ['a=b', 'c=d'],
    Date: ['today'],
  };
  await sender.send({ url: server.url, headers, body: 'x' });
  const lines = server.requests[0]?.split('\r\n').slice(3, 11);
  expect(lines).toEqual([
    'User-Agent: mine',
    'accept: */*',
    'Accept-Encoding: gzip',
    'Content-Encoding: identity',
    'Authorization: Basic eDp5',
    'Cookie: a=b',
    'Cookie: c=d',
    'Date: today',
  ]);
});

test('header values are sent as Latin-1, and the body as UTF-8 with its byte length', async () => {
  await sender.send({
    url: server.url,
    headers: { 'X-Name': ['\x80Gr\xfc\xdfe\xff\t~'] },
    body: '"grün 😀"',
  });
  const [head, body] = server.requests[0]?.split('\r\n\r\n') ?? [];
  expect(head).toContain('\r\nX-Name: \x80Gr\xfc\xdfe\xff\t~\r\n');
  expect(head).toContain('\r\ncontent-length: 12');
  expect(Buffer.from(body ?? '', 'latin1').toString()).toBe('"grün 😀"');
});

test('a body is sent unchanged if it is binary or large', async () => {
  const bytes = Buffer.from([0, 255, 128, 13, 10]);
  await sender.send({ url: server.url, headers: {}, body: bytes });
  expect(server.requests[0]?.endsWith('\r\n\r\n\x00\xff\x80\r\n')).toBe(true);
  await sender.send({ url: server.url, headers: {}, body: 'x'.repeat(3_000_000) });
  expect(server.requests[1]?.length).toBeGreaterThan(3_000_000);
});

test.each([
  ['a line break in a value', { 'X-A': ['a\r\nX-B: b'] }],
  ['a Transfer-Encoding', { 'Transfer-Encoding': ['chunked'] }],
  ['a Content-Length', { 'Content-Length': ['1'] }],
  ['a Host', { Host: ['other'] }],
  ['an invalid name', { 'X A': ['a'] }],
])('a request whose headers have %s is not sent', async (_what, headers) => {
  const result = await sender.send({ url: server.url, headers, body: 'xyz' });
  expect(result).toMatchObject({ kind: 'error', code: 'internal_error' });
  expect(server.sockets).toHaveLength(0);
});
