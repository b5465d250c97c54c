import { gzipSync } from 'node:zlib';
import type { RawServer, Respond } from '@tocsin/testing';
import type { HttpResponse, SenderOptions } from '../src/index.js';
import { createLoopback } from './support/loopback.js';

const { startSender, startServer, startSocketServer } = createLoopback();

async function start(respond: Respond, options: Partial<SenderOptions> = {}) {
  const server = await startServer(respond);
  const sender = startSender(options);
  return { server, send: () => sender.send({ url: server.url, headers: {}, body: '{}' }) };
}

function answering(bytes: string | Buffer, { end = false } = {}): Respond {
  return (socket) => (end ? socket.end(bytes) : socket.write(bytes));
}

const ok = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

test('the result of a send has a status, a body text and a duration', async () => {
  const { send } = await start(answering(ok('grün')));
  expect(await send()).toEqual({
    kind: 'response',
    statusCode: 200,
    body: 'grün',
    truncated: false,
    durationMs: expect.any(Number),
  });
});

test.each([200, 300, 404, 500, 599, 600, 999])(
  'a response with the status %d is accepted',
  async (status) => {
    const { send } = await start(answering(`HTTP/1.1 ${status} Any\r\nContent-Length: 0\r\n\r\n`));
    expect(await send()).toMatchObject({ kind: 'response', statusCode: status, body: '' });
  },
);

test.each([301, 302, 303, 307, 308])(
  'a redirect (%d) is returned as a response and not followed',
  async (status) => {
    const target = await startServer(answering(ok('followed')));
    const { send } = await start(
      answering(`HTTP/1.1 ${status} Moved\r\nLocation: ${target.url}\r\nContent-Length: 0\r\n\r\n`),
    );
    expect(await send()).toMatchObject({ kind: 'response', statusCode: status });
    expect(target.sockets).toHaveLength(0);
  },
);

test.each([204, 304])(
  'a response with status %d has no body, and its connection is reused',
  async (status) => {
    const { send, server } = await start(answering(`HTTP/1.1 ${status} None\r\n\r\n`));
    expect(await send()).toMatchObject({ statusCode: status, body: '', truncated: false });
    expect(await send()).toMatchObject({ statusCode: status });
    expect(server.sockets).toHaveLength(1);
  },
);

test.each([
  ['304 with the length of the omitted body', '304 Not Modified\r\nContent-Length: 20'],
  ['204 with a length, which is not allowed,', '204 No Content\r\nContent-Length: 2'],
])('the body of a %s is complete and empty', async (_what, head) => {
  const { send } = await start(answering(`HTTP/1.1 ${head}\r\n\r\n`));
  for (let count = 0; count < 2; count += 1) {
    expect(await send()).toMatchObject({ body: '', truncated: false, bodyNote: undefined });
  }
});

test.each([
  [
    'offers an upgrade',
    '200 OK\r\nUpgrade: h2,h2c\r\nConnection: Upgrade, Keep-Alive\r\nContent-Length: 2\r\n\r\nok',
  ],
  ['has empty headers, also at its end', '200 OK\r\nX:\r\nContent-Length: 2\r\nY: \r\nZ:\r\n\r\nok'],
  ['has no reason phrase', '200\r\nContent-Length: 2\r\n\r\nok'],
  [
    'follows an interim response with a length',
    '103 Hints\r\nContent-Length: 9\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  ],
  [
    'has the transfer coding chunked twice',
    '200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  ],
])('a response that %s is accepted', async (_what, bytes) => {
  const { send } = await start(answering(`HTTP/1.1 ${bytes}`));
  expect(await send()).toMatchObject({ statusCode: 200, body: 'ok', truncated: false });
});

test('if a response ends before its huge Content-Length, its bytes are kept and marked as cut', async () => {
  const { send } = await start(
    answering('HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nab', { end: true }),
  );
  expect(await send()).toMatchObject({ statusCode: 200, body: 'ab', truncated: true, bodyNote: 'cut' });
});

test('a body that does not match its Content-Encoding is kept and marked as encoded', async () => {
  const { send } = await start(
    answering('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain'),
  );
  expect(await send()).toMatchObject({ body: 'plain', truncated: false, bodyNote: 'encoded' });
});

test('a response body is cut at once when the destination half-closes', async () => {
  const server = await startSocketServer(
    (socket) => socket.resume().end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'),
    { allowHalfOpen: true },
  );
  const result = await startSender().send({ url: server.url, headers: {}, body: '{}' });
  expect(result).toMatchObject({ statusCode: 200, body: 'half', bodyNote: 'cut' });
});

test('a response that the destination sends before it gets the request is accepted', async () => {
  const hasty = await startSocketServer((socket) => socket.resume().write(ok('hasty')));
  const result = await startSender().send({ url: hasty.url, headers: {}, body: '{}' });
  expect(result).toMatchObject({ kind: 'response', statusCode: 200, body: 'hasty' });
});

test('several interim responses before a response are ignored, even if one is split in two', async () => {
  const { send } = await start((socket) => {
    socket.write('HTTP/1.1 100 Con');
    setImmediate(() => {
      socket.write(
        'tinue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n',
      );
      setImmediate(() => socket.write(ok('done')));
    });
  });
  expect(await send()).toMatchObject({ statusCode: 200, body: 'done' });
  expect(await send()).toMatchObject({ statusCode: 200, body: 'done' });
});

test('an HTTP/1.0 response without a length ends when the connection closes', async () => {
  const { send } = await start(answering('HTTP/1.0 200 OK\r\n\r\nold but whole', { end: true }));
  expect(await send()).toMatchObject({ statusCode: 200, body: 'old but whole', truncated: false });
});

test('the chunks of a chunked response are joined, and its trailers are ignored', async () => {
  const { send } = await start(
    answering(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nX-T: 1\r\n\r\n',
    ),
  );
  expect(await send()).toMatchObject({ body: 'abcde', truncated: false });
});

test('response headers named like members of Object.prototype are accepted', async () => {
  const { send } = await start(
    answering(
      'HTTP/1.1 200 OK\r\n__proto__: x\r\nconstructor: y\r\ntoString: z\r\nretry-after: 3\r\nContent-Length: 2\r\n\r\nok',
    ),
  );
  expect(await send()).toMatchObject({ statusCode: 200, body: 'ok', retryAfterSeconds: 3 });
});

test('a body of 64 KiB is complete; a longer body is cut and the connection is closed', async () => {
  const most = 'a'.repeat(65_536);
  const { send, server } = await start((socket, index) => socket.write(ok(index === 0 ? most : `${most}b`)));
  expect(await send()).toMatchObject({ body: most, truncated: false });
  expect(await send()).toMatchObject({ body: most, truncated: true, statusCode: 200 });
  await send();
  expect(server.sockets).toHaveLength(2);
});

test('64 KiB of an endless response are kept, and the connection is closed', async () => {
  const { send, server } = await start((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const pump = () => {
      while (!socket.destroyed && socket.write('x'.repeat(16_384)));
    };
    socket.on('drain', pump);
    pump();
  });
  const result = (await send()) as HttpResponse;
  expect(result).toMatchObject({ statusCode: 200, truncated: true });
  expect(result.body).toHaveLength(65_536);
  expect(result.bodyNote).toBeUndefined();
  await expectClosed(server);
});

test('an incomplete response body is marked as cut, and the status is still reported', async () => {
  const { send } = await start((socket) => {
    socket.write('HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\nhalf', () => socket.end());
  });
  expect(await send()).toMatchObject({ statusCode: 201, body: 'half', truncated: true, bodyNote: 'cut' });
});

test('an incomplete chunked body is marked as cut, even with the header Connection: close', async () => {
  const { send } = await start(
    answering('HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf', {
      end: true,
    }),
  );
  expect(await send()).toMatchObject({ statusCode: 200, body: 'half', truncated: true, bodyNote: 'cut' });
});

test('a response body that ends with a connection reset is marked as cut', async () => {
  const { send } = await start((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () =>
      setTimeout(() => socket.resetAndDestroy(), 20),
    );
  });
  expect(await send()).toMatchObject({ statusCode: 200, truncated: true, bodyNote: 'cut' });
});

test('a response body with invalid chunks is marked as broken', async () => {
  const { send } = await start(
    answering('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nZZZ\r\n'),
  );
  expect(await send()).toMatchObject({
    statusCode: 200,
    body: 'abc',
    truncated: true,
    bodyNote: 'broken',
  });
});

test('a slow response body is cut at the time limit of the request', async () => {
  const { send, server } = await start(
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
      const drip = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(drip));
    },
    { totalTimeoutMs: 200 },
  );
  const result = (await send()) as HttpResponse;
  expect(result).toMatchObject({ statusCode: 200, truncated: true, bodyNote: 'slow' });
  expect(result.body).toMatch(/^x+$/);
  await expectClosed(server);
});

test('a compressed response body is kept and not decompressed', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  const { send } = await start((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
    socket.write(bomb);
  });
  const result = (await send()) as HttpResponse;
  expect(result).toMatchObject({ statusCode: 200, bodyNote: 'encoded' });
  expect(Buffer.byteLength(result.body)).toBeLessThanOrEqual(65_536);
});

test('NUL and invalid bytes in a body are replaced, and the text is cut to at most 64 KiB', async () => {
  const body = Buffer.concat([Buffer.from('a\0b'), Buffer.alloc(60_000, 0xff)]);
  const { send } = await start((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.write(body);
  });
  const result = (await send()) as HttpResponse;
  expect(result.body.startsWith('a\ufffdb\ufffd')).toBe(true);
  expect(Buffer.byteLength(result.body)).toBeLessThanOrEqual(65_536);
  expect(result.truncated).toBe(true);
});

test('a Retry-After header with seconds or a date is reported in seconds', async () => {
  const later = new Date(Date.now() + 90_000).toUTCString();
  const { send } = await start((socket, index) =>
    socket.write(
      `HTTP/1.1 503 Busy\r\nRetry-After: ${index === 0 ? '17' : later}\r\nContent-Length: 0\r\n\r\n`,
    ),
  );
  expect(await send()).toMatchObject({ statusCode: 503, retryAfterSeconds: 17 });
  const { retryAfterSeconds } = (await send()) as HttpResponse;
  expect(retryAfterSeconds).toBeGreaterThan(60);
  expect(retryAfterSeconds).toBeLessThanOrEqual(90);
});

test('a response that arrives while the request is still being sent is accepted', async () => {
  const early = await startSocketServer((socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig'));
  });
  const result = await startSender().send({ url: early.url, headers: {}, body: 'x'.repeat(200_000) });
  expect(result).toMatchObject({ kind: 'response', statusCode: 413, body: 'big' });
});

async function expectClosed(server: RawServer): Promise<void> {
  const socket = server.sockets[0];
  if (socket && !socket.destroyed)
    await new Promise<void>((resolve) => socket.once('close', () => resolve()));
}
