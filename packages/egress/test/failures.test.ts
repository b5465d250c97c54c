import { getEventListeners } from 'node:events';
import type { Socket } from 'node:net';
import { type Respond, startRawServer, until } from '@tocsin/testing';
import { parseCidrs, type SenderOptions, type SendResult } from '../src/index.js';
import { createLoopback } from './support/loopback.js';

const { startSender, startServer, startSocketServer } = createLoopback();

async function sendTo(url: string, options: Partial<SenderOptions> = {}): Promise<SendResult> {
  return startSender(options).send({ url, headers: {}, body: '{}' });
}

const silent: Respond = () => {};

test('a send to a closed port fails as connection_refused', async () => {
  const server = await startRawServer(silent);
  await server.close();
  expect(await sendTo(server.url)).toMatchObject({ kind: 'error', code: 'connection_refused' });
});

test('a send fails as connection_refused if all addresses of the name refuse the connection', async () => {
  const server = await startRawServer(silent);
  await server.close();
  const lookup = () => Promise.resolve(['127.0.0.1', '127.0.0.2']);
  const result = await sendTo(`http://name.test:${server.port}/`, { lookup });
  expect(result).toMatchObject({ kind: 'error', code: 'connection_refused' });
});

test('a send to port 0, or to an address that cannot be dialled, fails as connection_refused', async () => {
  expect(await sendTo('http://127.0.0.1:0/')).toMatchObject({ code: 'connection_refused' });
  // A link-local address without a zone names no network interface, so it cannot be dialled.
  const linkLocal = await sendTo('http://[fe80::1]/', { allow: parseCidrs(['fe80::/10']) });
  expect(linkLocal).toMatchObject({ kind: 'error', code: 'connection_refused' });
});

test('a send fails as connection_reset if the destination closes the connection at once', async () => {
  const closing = await startServer((socket) => socket.end());
  expect(await sendTo(closing.url)).toMatchObject({ kind: 'error', code: 'connection_reset' });
  const resetting = await startServer((socket) => socket.resetAndDestroy());
  expect(await sendTo(resetting.url)).toMatchObject({ kind: 'error', code: 'connection_reset' });
});

test.each([
  'HTTP/1.1 20',
  'HTTP/1.1 200 OK\r\nContent-Le',
  'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
])(
  'after the bytes %j, a closed connection is a connection_reset, and a stalled one a timeout',
  async (bytes) => {
    const closing = await startServer((socket) => socket.end(bytes));
    expect(await sendTo(closing.url)).toMatchObject({ kind: 'error', code: 'connection_reset' });
    const stalling = await startServer((socket) => socket.write(bytes));
    expect(await sendTo(stalling.url, { totalTimeoutMs: 200 })).toMatchObject({
      kind: 'error',
      code: 'timeout',
    });
  },
);

test('a send to a destination that half-closes at once fails as connection_reset', async () => {
  const sockets: Socket[] = [];
  const server = await startSocketServer(
    (socket) => {
      sockets.push(socket);
      socket.resume().end();
    },
    { allowHalfOpen: true },
  );
  expect(await sendTo(server.url)).toMatchObject({ code: 'connection_reset' });
  await until('each is closed', () => sockets.every((socket) => socket.destroyed));
});

test('if a destination reads very slowly, the send fails as timeout and the connection is closed', async () => {
  const sockets: Socket[] = [];
  const server = await startSocketServer((socket) => {
    sockets.push(socket);
    const reading = setInterval(() => socket.read(1), 10);
    socket.on('close', () => clearInterval(reading));
  });
  const sender = startSender({ totalTimeoutMs: 300 });
  const result = await sender.send({ url: server.url, headers: {}, body: 'x'.repeat(20_000_000) });
  expect(result).toMatchObject({ kind: 'error', code: 'timeout' });
  sockets[0]?.resume();
  await until('it is closed', () => sockets[0]?.destroyed === true);
});

test.each([
  ['the response', { totalTimeoutMs: 300, lookup: async () => ['127.0.0.1'] }, 'timeout'],
  ['the connection', { connectTimeoutMs: 300, lookup: () => new Promise<string[]>(() => {}) }, 'dns_failure'],
])('sends whose wait for %s times out at the same time end in several ticks', async (_, options, code) => {
  const server = await startServer(silent);
  const sender = startSender(options);
  let tick = 0;
  let isOver = false;
  const countTicks = () => {
    tick += 1;
    if (!isOver) setImmediate(countTicks);
  };
  const endedInTick = new Map<number, number>();
  const sends = Array.from({ length: 60 }, async () => {
    const result = await sender.send({ url: `http://name.test:${server.port}/`, headers: {}, body: '{}' });
    endedInTick.set(tick, (endedInTick.get(tick) ?? 0) + 1);
    return result;
  });
  countTicks();
  const results = await Promise.all(sends);
  isOver = true;
  expect(results.every((result) => result.kind === 'error' && result.code === code)).toBe(true);
  expect(Math.max(...endedInTick.values())).toBeLessThanOrEqual(8);
});

test('a send whose new connection is reset fails without opening a second connection', async () => {
  let connections = 0;
  const server = await startSocketServer((socket) => {
    connections += 1;
    socket.resetAndDestroy();
  });
  expect(await sendTo(server.url)).toMatchObject({ kind: 'error', code: 'connection_reset' });
  expect(connections).toBe(1);
});

test.each([
  ['nonsense', 'nonsense\r\n\r\n'],
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['TLS', Buffer.from([0x15, 3, 1, 0, 2, 2, 70])],
  ['HTTP/2', Buffer.from('00000c04000000000000030000006400040000ffff', 'hex')],
  ['a status below 100', 'HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n'],
  ['the status 000', 'HTTP/1.1 000 None\r\nConnection: close\r\n\r\n'],
  ['a switch to a protocol without a name', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ['a status that is no number', 'HTTP/1.1 abc OK\r\n\r\n'],
  [
    'an unrequested switch of protocols',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
  ],
  ['a bad header line', 'HTTP/1.1 200 OK\r\nbad header\r\n\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  [
    'a length and chunks',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['a length that is no number', 'HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\n'],
  ['the same length twice', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na'],
  ['a list of lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\na'],
  ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\na'],
  ['a length beyond 64 bits', 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\na'],
  ['an empty length', 'HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\na'],
  [
    'chunks and a length',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n',
  ],
  ['a body without a head (HTTP/0.9)', '<html>saved</html>'],
  ['a request', 'POST / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['lines that end with a line feed only', 'HTTP/1.1 200 OK\nContent-Length: 1\n\na'],
  ['a folded header', 'HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 1\r\n\r\na'],
  ['a NUL in a header', 'HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 1\r\n\r\na'],
  ['a space before the colon of a length', 'HTTP/1.1 200 OK\r\nContent-Length : 1\r\n\r\na'],
  [
    'a space before the colon of an encoding',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n',
  ],
  ['a folded length', 'HTTP/1.1 200 OK\r\nContent-Length:\r\n 1\r\n\r\na'],
  ['a space in a name', 'HTTP/1.1 200 OK\r\nX Y: a\r\nContent-Length: 1\r\n\r\na'],
  ['a NUL in a name', 'HTTP/1.1 200 OK\r\nX\0: a\r\nContent-Length: 1\r\n\r\na'],
  ['a lone carriage return in a header', 'HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 1\r\n\r\na'],
  ['a status of two digits', 'HTTP/1.1 99 Short\r\nContent-Length: 0\r\n\r\n'],
  ['a status of four digits', 'HTTP/1.1 1000 Long\r\nContent-Length: 0\r\n\r\n'],
  ['a header without a name', 'HTTP/1.1 200 OK\r\n: a\r\nContent-Length: 1\r\n\r\na'],
  ['one huge header', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`],
  ['a flood of headers', `HTTP/1.1 200 OK\r\n${'X-Flood: x\r\n'.repeat(10_000)}\r\n`],
  ['a flood of interim responses', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000)],
  ['a flood of 100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000)],
])('a send fails as invalid_response if the response is %s', async (_what, bytes) => {
  const server = await startServer((socket) => socket.write(bytes));
  expect(await sendTo(server.url, { totalTimeoutMs: 3000 })).toMatchObject({
    kind: 'error',
    code: 'invalid_response',
  });
});

test('a send without a response fails as timeout', async () => {
  const server = await startServer(silent);
  expect(await sendTo(server.url, { totalTimeoutMs: 100 })).toMatchObject({ kind: 'error', code: 'timeout' });
});

test('a send fails as timeout if the response head arrives too slowly', async () => {
  const server = await startServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const drip = setInterval(() => socket.write('X: y\r\n'), 10);
    socket.on('close', () => clearInterval(drip));
  });
  expect(await sendTo(server.url, { totalTimeoutMs: 150 })).toMatchObject({ kind: 'error', code: 'timeout' });
});

test('a send to a destination that does not read the request fails as timeout', async () => {
  const server = await startSocketServer((socket) => socket.pause());
  const sender = startSender({ totalTimeoutMs: 200 });
  const result = await sender.send({ url: server.url, headers: {}, body: 'x'.repeat(20_000_000) });
  expect(result).toMatchObject({ kind: 'error', code: 'timeout' });
});

test('interim responses do not extend the time limit of a send', async () => {
  const server = await startServer((socket) => {
    const drip = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 40);
    socket.on('close', () => clearInterval(drip));
  });
  expect(await sendTo(server.url, { totalTimeoutMs: 150 })).toMatchObject({ kind: 'error', code: 'timeout' });
});

test('a send fails as dns_failure if its host name does not resolve', async () => {
  const failing = { lookup: () => Promise.reject(new Error('no such name')) };
  expect(await sendTo('http://nobody.test/', failing)).toMatchObject({ kind: 'error', code: 'dns_failure' });
  const empty = { lookup: () => Promise.resolve([]) };
  expect(await sendTo('http://nobody.test/', empty)).toMatchObject({ kind: 'error', code: 'dns_failure' });
});

test('a send fails as dns_failure if its name resolves too late, and dials no address', async () => {
  const server = await startServer(silent);
  let resolveName: (addresses: string[]) => void = () => {};
  const lookup = () => new Promise<string[]>((resolve) => (resolveName = resolve));
  const result = await sendTo(`http://slow.test:${server.port}/`, { lookup, connectTimeoutMs: 50 });
  expect(result).toMatchObject({ kind: 'error', code: 'dns_failure' });
  resolveName(['127.0.0.1']);
  await new Promise(setImmediate);
  expect(server.sockets).toHaveLength(0);
});

test('a send fails as connect_timeout if the destination does not respond to the TLS handshake', async () => {
  const server = await startServer(silent);
  const result = await sendTo(`https://127.0.0.1:${server.port}/`, { connectTimeoutMs: 100 });
  expect(result).toMatchObject({ kind: 'error', code: 'connect_timeout' });
});

test('a send leaves no listener at its signal', async () => {
  const server = await startServer(silent);
  const { signal } = new AbortController();
  const sending = startSender({ totalTimeoutMs: 50 }).send(
    { url: server.url, headers: {}, body: '{}' },
    signal,
  );
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await sending;
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('an aborted signal ends a send before, during and after connecting', async () => {
  const server = await startServer(silent);
  const sender = startSender({
    lookup: (name) => (name === 'hang.test' ? new Promise(() => {}) : Promise.resolve([])),
  });
  for (const url of [server.url, 'http://hang.test/']) {
    const controller = new AbortController();
    const sending = sender.send({ url, headers: {}, body: '{}' }, controller.signal);
    setTimeout(() => controller.abort(), 20);
    expect(await sending).toMatchObject({ kind: 'error', code: 'internal_error' });
    expect(await sender.send({ url, headers: {}, body: '{}' }, controller.signal)).toMatchObject({
      code: 'internal_error',
    });
  }
});

test('a closed sender ends its running sends and rejects later ones', async () => {
  const server = await startServer(silent);
  const sender = startSender();
  const sending = sender.send({ url: server.url, headers: {}, body: '{}' });
  await until('it is sent', () => server.requests.length === 1);
  await sender.close();
  expect(await sending).toMatchObject({ kind: 'error', code: 'internal_error' });
  expect(await sender.send({ url: server.url, headers: {}, body: '{}' })).toMatchObject({
    code: 'internal_error',
  });
  expect(server.requests).toHaveLength(1);
});

test.each(['not a url', '', 'ftp://127.0.0.1/', 'file:///etc/passwd'])(
  'no request is sent to the invalid URL %j',
  async (url) => {
    expect(await sendTo(url)).toMatchObject({ kind: 'error', code: 'internal_error' });
  },
);

test('the error text of a failed send contains no path, query, header, body or address', async () => {
  const server = await startServer((socket) => socket.end('secret-response'));
  const sender = startSender({ lookup: () => Promise.resolve(['10.9.8.7']) });
  const headers = { 'X-Key': ['secret-value'] };
  const results = [
    await sender.send({ url: `${server.url}/secret-path?token=secret`, headers, body: 'secret-body' }),
    await sender.send({ url: 'http://blocked.test/secret-path', headers, body: 'secret-body' }),
    await sender.send({ url: 'http://user:secret@[bad/', headers, body: 'secret-body' }),
    await sender.send({ url: server.url, headers: { 'X-Key': ['secret\n'] }, body: 'secret-body' }),
  ];
  for (const result of results) {
    expect(result.kind).toBe('error');
    expect(JSON.stringify(result)).not.toMatch(/secret|10\.9\.8\.7|hook|X-Key/);
  }
});
