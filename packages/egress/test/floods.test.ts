import type { Socket } from 'node:net';
import { createLoopback } from './support/loopback.js';

/** The time limits are 20 s, so that only the byte and header limits of the sender can end a flood early. */
const { startSender, startServer, startSocketServer } = createLoopback({
  connectTimeoutMs: 20_000,
  totalTimeoutMs: 20_000,
});

/** Writes `unit` as fast as the client reads, until the connection closes. */
function flood(socket: Socket, unit: string | Buffer): void {
  const pump = () => {
    while (!socket.destroyed && socket.write(unit));
  };
  socket.on('drain', pump);
  pump();
}

const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const long = 'x'.repeat(65_536);

test.each([
  ['an endless reason phrase', 'HTTP/1.1 200 ', long],
  ['an interim response with an endless reason phrase', 'HTTP/1.1 103 ', long],
  ['empty lines before the head', '', '\r\n'.repeat(32_768)],
  ['a header of spaces', 'HTTP/1.1 200 OK\r\nX:', ' '.repeat(65_536)],
  ['a header line folded without end', 'HTTP/1.1 200 OK\r\nX: y\r\n', ' \r\n'.repeat(20_000)],
])('a send fails as invalid_response if the response is %s', async (_what, head, unit) => {
  const server = await startServer((socket) => {
    socket.write(head);
    flood(socket, unit);
  });
  const result = await startSender().send({ url: server.url, headers: {}, body: '{}' });
  expect(result).toMatchObject({ kind: 'error', code: 'invalid_response' });
});

test.each([
  [
    'bytes of body that each come with 16 KiB of extensions',
    `1;${long.slice(0, 16_384)}\r\nx\r\n`,
    /^x{9,65}$/,
  ],
  ['one endless extension', long, /^$/],
  ['a length of zeros without end', '0'.repeat(65_536), /^$/],
])('a response with a body of %s is cut, and its status is still reported', async (_what, unit, body) => {
  const server = await startServer((socket) => {
    socket.write(unit === long ? `${chunked}5;` : chunked);
    flood(socket, unit);
  });
  const result = await startSender().send({ url: server.url, headers: {}, body: '{}' });
  expect(result).toMatchObject({
    kind: 'response',
    statusCode: 200,
    body: expect.stringMatching(body),
    truncated: true,
    bodyNote: 'overlong',
  });
});

test('a response with endless trailers is cut, and its body is kept and marked as overlong', async () => {
  const server = await startServer((socket) => {
    socket.write(`${chunked}2\r\nok\r\n0\r\n`);
    flood(socket, 'X-Trailer: y\r\n'.repeat(1000));
  });
  const result = await startSender().send({ url: server.url, headers: {}, body: '{}' });
  expect(result).toMatchObject({ statusCode: 200, body: 'ok', truncated: true, bodyNote: 'overlong' });
});

// 8,000 header lines. undici keeps two objects for each line, and they take far more memory than the line itself.
const manyHeaders = 'X:\r\n'.repeat(8000);

test('a response with thousands of headers fails as invalid_response at once', async () => {
  const server = await startServer((socket) => socket.write(`HTTP/1.1 200 OK\r\n${manyHeaders}`));
  const result = await startSender().send({ url: server.url, headers: {}, body: '{}' });
  expect(result).toMatchObject({
    kind: 'error',
    code: 'invalid_response',
    error: 'The destination sends more than a response may have.',
  });
});

test('a response with thousands of trailers is cut, and its body is kept and marked as overlong', async () => {
  const server = await startServer((socket) => socket.write(`${chunked}2\r\nok\r\n0\r\n${manyHeaders}`));
  const result = await startSender().send({ url: server.url, headers: {}, body: '{}' });
  expect(result).toMatchObject({ statusCode: 200, body: 'ok', truncated: true, bodyNote: 'overlong' });
});

test.each([
  ['a head of 400 lines', `${'X: y\r\n'.repeat(400)}Content-Length: 2\r\n\r\nok`, 'ok'],
  ['a header of 30 KiB', `X: ${'y'.repeat(30_720)}\r\nContent-Length: 2\r\n\r\nok`, 'ok'],
  ['a body of line feeds', `Content-Length: 65536\r\n\r\n${'\n'.repeat(65_536)}`, '\n'.repeat(65_536)],
  ['200 trailers', `Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n${'X: y\r\n'.repeat(200)}\r\n`, 'ok'],
])('a response with %s is accepted completely', async (_what, bytes, body) => {
  const server = await startServer((socket) => socket.write(`HTTP/1.1 200 OK\r\n${bytes}`));
  const result = await startSender().send({ url: server.url, headers: {}, body: '{}' });
  expect(result).toMatchObject({ statusCode: 200, body, truncated: false, bodyNote: undefined });
});

test('a response body of 64 KiB in chunks of one byte is read completely', async () => {
  const server = await startServer((socket) => {
    socket.write(chunked);
    socket.write(`${'1\r\nx\r\n'.repeat(65_536)}0\r\n\r\n`);
  });
  const result = await startSender().send({ url: server.url, headers: {}, body: '{}' });
  expect(result).toMatchObject({ kind: 'response', body: long, truncated: false, bodyNote: undefined });
});

test('an idle connection that receives a flood is closed, and the next request succeeds', async () => {
  const server = await startServer((socket, index) => {
    socket.write('HTTP/1.1 200 OK\r\nKeep-Alive: timeout=60\r\nContent-Length: 2\r\n\r\nok');
    if (index === 0) flood(socket, '\r\n'.repeat(32_768));
  });
  const sender = startSender();
  const request = { url: server.url, headers: {}, body: '{}' };
  expect(await sender.send(request)).toMatchObject({ statusCode: 200, body: 'ok' });
  const socket = server.sockets[0];
  if (!socket?.destroyed) await new Promise((resolve) => socket?.once('close', resolve));
  expect(await sender.send(request)).toMatchObject({ statusCode: 200, body: 'ok' });
});

test('a send fails as tls_failure if the TLS handshake is endless', async () => {
  // TLS record with a HelloRequest, which clients ignore during a handshake (RFC 5246 §7.4.1.1).
  const helloRequest = Buffer.from('160303000400000000', 'hex');
  const server = await startSocketServer((socket) =>
    socket.once('data', () => flood(socket, Buffer.concat(Array<Buffer>(7000).fill(helloRequest)))),
  );
  const result = await startSender().send({
    url: `https://127.0.0.1:${server.port}/`,
    headers: {},
    body: '{}',
  });
  expect(result).toMatchObject({
    kind: 'error',
    code: 'tls_failure',
    error: 'The destination sends too much within the TLS handshake.',
  });
});
