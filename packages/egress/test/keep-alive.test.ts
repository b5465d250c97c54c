import { once } from 'node:events';
import { connect } from 'node:net';
import { type RawServer, type Respond, startRawServer, until } from '@tocsin/testing';
import { createCancellation } from '../src/cancellation.js';
import { type Connection, createConnection } from '../src/connection.js';
import { createSender, parseCidrs, type Sender, type SenderOptions } from '../src/index.js';

let server: RawServer;
let sender: Sender;

afterEach(async () => {
  await sender.close();
  await server.close();
});

async function start(respond: Respond, options: Partial<SenderOptions> = {}) {
  server = await startRawServer(respond);
  sender = createSender({ allow: parseCidrs(['127.0.0.0/8']), ...options });
}

const send = () => sender.send({ url: server.url, headers: {}, body: '{}' });
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const turn = () => new Promise(setImmediate);

test('consecutive requests to a destination share a connection', async () => {
  await start((socket) => socket.write(ok));
  for (let count = 0; count < 5; count += 1) expect(await send()).toMatchObject({ body: 'ok' });
  expect(server.sockets).toHaveLength(1);
});

test('a connection is reused after a step of the system clock', async () => {
  await start((socket) => socket.write(ok));
  await send();
  const clock = import.meta.jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
  await send();
  clock.mockRestore();
  expect(server.sockets).toHaveLength(1);
});

test('concurrent requests use separate connections and do not wait for each other', async () => {
  await start((socket, index) => index > 0 && socket.write(ok), { totalTimeoutMs: 2000 });
  const hanging = send();
  const others = await Promise.all(Array.from({ length: 20 }, send));
  expect(others.every((result) => result.kind === 'response')).toBe(true);
  expect(await hanging).toMatchObject({ code: 'timeout' });
});

test('a connection that the destination closes after each response is not reused', async () => {
  await start((socket) => socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok`));
  for (let count = 0; count < 3; count += 1) expect(await send()).toMatchObject({ body: 'ok' });
  expect(server.sockets).toHaveLength(3);
});

test('`request` returns undefined if its idle connection closes before the request is written', async () => {
  await start((socket) => socket.write(ok));
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  const closed: Connection[] = [];
  const origin = `http://127.0.0.1:${server.port}`;
  const connection = createConnection({ socket, wire: socket }, origin, (ended) => closed.push(ended));
  const request = { path: '/', headers: [], body: Buffer.from('{}'), maxResponseBytes: 100 };
  expect(await connection.request(request, createCancellation())).toMatchObject({ statusCode: 200 });
  const second = connection.request(request, createCancellation());
  socket.destroy();
  expect(await second).toBeUndefined();
  expect(server.requests).toHaveLength(1);
  expect(closed).toEqual([connection]);
});

test('an idle connection is closed if the destination sends bytes without a request', async () => {
  await start((socket, index) => {
    socket.write(ok);
    if (index === 0) socket.write('HTTP/1.1 500 Forged\r\nContent-Length: 0\r\n\r\n');
  });
  expect(await send()).toMatchObject({ statusCode: 200 });
  expect(await send()).toMatchObject({ statusCode: 200 });
  expect(server.sockets).toHaveLength(2);
});

test.each([
  'HTTP/1.1 500 Forged\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 5',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 500 Forged\r\nContent-Length: 0\r\n\r\n',
  'x',
])('after the bytes %j have closed an idle connection, the next request uses a new one', async (bytes) => {
  await start((socket) => socket.write(ok));
  expect(await send()).toMatchObject({ statusCode: 200 });
  server.sockets[0]?.write(bytes);
  await until('it is closed', () => server.sockets[0]?.destroyed === true);
  expect(await send()).toMatchObject({ statusCode: 200, body: 'ok' });
  expect(server.sockets).toHaveLength(2);
});

const unrequested = ['HTTP/1.1 500 Forged\r\nContent-Length: 0\r\n\r\n', 'HTTP/1.1 1', 'RTSP/1.0 200 OK\r\n'];

test.each(unrequested)(
  'bytes %j that arrive on an idle connection are not read as the next response',
  async (bytes) => {
    await start((socket) => socket.write(ok));
    expect(await send()).toMatchObject({ statusCode: 200 });
    server.sockets[0]?.write(bytes);
    expect(await send()).toMatchObject({ statusCode: 200, body: 'ok' });
  },
);

test.each(unrequested)(
  'bytes %j that arrive just before a request is written are not read as the response to it',
  async (bytes) => {
    await start((socket) => socket.write(ok));
    expect(await send()).toMatchObject({ statusCode: 200 });
    const sending = send();
    await turn();
    server.sockets[0]?.write(bytes);
    expect(await sending).toMatchObject({ statusCode: 200, body: 'ok' });
    expect(server.sockets).toHaveLength(2);
  },
);

test('a connection is not reused after Connection: close, even if it stays open', async () => {
  await start((socket, index) =>
    socket.write(index === 1 ? ok.replace('\r\n', '\r\nConnection: close\r\n') : ok),
  );
  for (let count = 0; count < 3; count += 1) expect(await send()).toMatchObject({ body: 'ok' });
  expect(server.sockets).toHaveLength(2);
  await until('it is closed', () => server.sockets[0]?.destroyed === true);
});

test.each(['204 No Content', '304 Not Modified'])(
  'the unexpected body of a %s response is ignored and not read as the next response',
  async (status) => {
    const body = 'HTTP/1.1 500 Forged\r\nContent-Length: 0\r\n\r\n';
    await start((socket, index) => socket.write(index === 0 ? `HTTP/1.1 ${status}\r\n\r\n${body}` : ok));
    expect(await send()).toMatchObject({ statusCode: Number.parseInt(status, 10), body: '' });
    expect(await send()).toMatchObject({ statusCode: 200, body: 'ok' });
    expect(server.sockets).toHaveLength(2);
  },
);

test.each(['Connection: close', 'Connection: Upgrade\r\nUpgrade: h2c', 'X-Sum: 1'])(
  'a connection is not reused after the trailers %j',
  async (trailers) => {
    const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n';
    await start((socket, index) => socket.write(index === 0 ? `${chunked}${trailers}\r\n\r\n` : ok));
    for (let count = 0; count < 2; count += 1) {
      expect(await send()).toMatchObject({ body: 'ok', truncated: false, bodyNote: undefined });
    }
    expect(server.sockets).toHaveLength(2);
  },
);

test.each(['204 No Content', '304 Not Modified'])(
  'chunks that arrive after a %s response are not read as the next response',
  async (status) => {
    await start((socket, index) => {
      if (index === 0) socket.write(`HTTP/1.1 ${status}\r\nTransfer-Encoding: chunked\r\n\r\n`);
      else socket.write(socket === server.sockets[0] ? `2\r\nno\r\n0\r\n\r\n${ok}` : ok);
    });
    expect(await send()).toMatchObject({ statusCode: Number.parseInt(status, 10), truncated: false });
    expect(await send()).toMatchObject({ statusCode: 200, body: 'ok' });
  },
);

test('a send fails as connection_reset if its reused connection closes after the request', async () => {
  await start((socket, index) => (index === 0 ? socket.write(ok) : socket.destroy()));
  expect(await send()).toMatchObject({ body: 'ok' });
  expect(await send()).toMatchObject({ kind: 'error', code: 'connection_reset' });
  expect(server.requests).toHaveLength(2);
});

test('a connection whose Keep-Alive header has a timeout of one second is not reused', async () => {
  await start((socket) =>
    socket.write(
      'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok',
    ),
  );
  await send();
  await send();
  expect(server.sockets).toHaveLength(2);
});

test('at most maxIdlePerDestination idle connections stay open, until the sender is closed', async () => {
  await start((socket) => setTimeout(() => socket.write(ok), 30), { maxIdlePerDestination: 3 });
  await Promise.all(Array.from({ length: 10 }, send));
  await until('three are kept', () => server.sockets.filter((socket) => !socket.destroyed).length === 3);
  await sender.close();
  await until('all are closed', () => server.sockets.every((socket) => socket.destroyed));
});

test('300 concurrent requests get their own responses', async () => {
  await start((socket, index) => {
    const body = server.requests[index]?.split('\r\n\r\n')[1] ?? '';
    setTimeout(
      () => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
      index % 7,
    );
  });
  const bodies = Array.from({ length: 300 }, (_, index) => `body ${index}`);
  const results = await Promise.all(
    bodies.map((body) => sender.send({ url: server.url, headers: {}, body })),
  );
  expect(results.map((result) => result.kind === 'response' && result.body)).toEqual(bodies);
});
