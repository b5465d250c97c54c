import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { until } from '@tocsin/testing';
import { listen } from './server.js';
import { guardAgainstSlowClients, type SlowReader, selectSlowest } from './slow-client-guard.js';

const reader = (unsentMs: number, unsentBytes: number): SlowReader => ({ unsentMs, unsentBytes });

test('the slowest readers are selected until the unsent bytes of the others are within the limit', () => {
  const [old, older, oldest] = [reader(1, 400), reader(2, 400), reader(3, 400)];
  expect(selectSlowest([old, oldest, older], 1_000)).toEqual([oldest]);
  expect(selectSlowest([old, oldest, older], 500)).toEqual([oldest, older]);
  expect(selectSlowest([old, older], 800)).toEqual([]);
});

// A body that is larger than the socket buffers of client and server together.
const large = Buffer.alloc(16 * 1_048_576, 97);
const address = { host: '127.0.0.1', port: 0 };

/** Connects a client that sends `times` requests at once and reads no response. */
function requestWithoutReading(port: number, times = 1): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(times), () => resolve(socket));
    });
    socket.on('error', () => {});
  });
}

/** Creates an app with large responses. `sockets` contains the server's socket of each request. */
function largeApp() {
  const sockets: Socket[] = [];
  const app = ({ socket }: IncomingMessage, response: ServerResponse) => {
    sockets.push(socket);
    response.end(large);
  };
  return { app, sockets };
}

test('a client that does not read its response is disconnected after the inactivity timeout', async () => {
  const { app, sockets } = largeApp();
  const server = await listen(app, { ...address, limits: { idleMs: 500 } });
  const client = await requestWithoutReading(server.port);
  await until('it is disconnected', () => sockets[0]?.destroyed === true);
  let length = 0;
  client.on('data', (chunk) => {
    length += chunk.length;
  });
  client.resume();
  await new Promise((resolve) => client.once('close', resolve));
  expect(length).toBeLessThan(large.length);
  await server.close(100);
});

test('all pipelined responses of a client count towards the limit on unsent bytes', async () => {
  const { app, sockets } = largeApp();
  const server = await listen(app, { ...address, limits: { maxUnsentBytes: 3 * large.length } });
  const pipelining = await requestWithoutReading(server.port, 8);
  await until('it is disconnected', () => sockets[7]?.destroyed === true);
  const single = await requestWithoutReading(server.port);
  await until('the other gets a response', () => sockets.length === 9);
  expect(sockets[8]?.destroyed).toBe(false);
  single.destroy();
  pipelining.destroy();
  await server.close(100);
});

test('a client with too many pipelined requests is disconnected, and others are served', async () => {
  const started: Socket[] = [];
  const app = ({ socket, url }: IncomingMessage, response: ServerResponse) => {
    started.push(socket);
    if (url === '/other') response.end('served');
  };
  const server = await listen(app, address);
  const pipelining = await requestWithoutReading(server.port, 1_500);
  await once(pipelining.resume(), 'close');
  expect(started.length).toBe(16);
  expect(started[0]?.destroyed).toBe(true);
  expect(await (await fetch(`${server.url}/other`)).text()).toBe('served');
  await server.close(100);
});

test('each pipelined response is closed when its connection ends', async () => {
  const closed: (string | undefined)[] = [];
  let started = 0;
  const app = ({ url }: IncomingMessage, response: ServerResponse) => {
    started += 1;
    response.once('close', () => closed.push(url));
    if (url === '/2') response.end('waits behind the first response');
  };
  const server = await listen(app, address);
  const socket = connect(server.port, '127.0.0.1');
  socket.write(['/1', '/2', '/3'].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
  await until('all have started', () => started === 3);
  socket.destroy();
  await until('all are closed', () => closed.length === 3);
  expect(closed.sort()).toEqual(['/1', '/2', '/3']);
  await server.close(100);
});

test('Node parses only one request beyond the limit on pipelined requests', async () => {
  let parsed = 0;
  const server = createServer(() => {
    parsed += 1;
  });
  guardAgainstSlowClients(server, { maxPipelined: 4 });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = await requestWithoutReading((server.address() as AddressInfo).port, 1_500);
  await once(client.resume(), 'close');
  expect(parsed).toBe(5);
  server.close();
});

test('pipelined requests within the limit get their responses in order, also the later ones', async () => {
  const app = async ({ url }: { url?: string | undefined }, response: ServerResponse) => {
    // The first requests of a pipeline take longest.
    await new Promise((resolve) => setTimeout(resolve, 50 - 5 * Number(url?.slice(1))));
    response.end(`[${url}]`);
  };
  const server = await listen(app, { ...address, limits: { maxPipelined: 8 } });
  const socket = connect(server.port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  const paths = Array.from({ length: 8 }, (_, index) => `/${index}`);
  for (let round = 1; round <= 3; round += 1) {
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    const expected = Array.from({ length: round }, () => paths).flat();
    const bodies = () => [...received.matchAll(/\[(.+?)\]/g)].map(([, path]) => path);
    await until('all have their responses', () => bodies().length === expected.length);
    expect(bodies()).toEqual(expected);
  }
  socket.destroy();
  await server.close(100);
});

test('a client that gets small events and a client that reads slowly stay connected', async () => {
  const app = async ({ url }: { url?: string | undefined }, response: ServerResponse) => {
    if (url === '/list') return void response.end(large);
    for (let count = 0; count < 50; count += 1) {
      response.write('event\n');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    response.end();
  };
  // Both responses take longer than the inactivity timeout. The time between two transfers of bytes is much shorter
  // than this timeout.
  const server = await listen(app, { ...address, limits: { idleMs: 1_500 } });
  const read = (path: string) =>
    new Promise<number>((resolve, reject) => {
      get(`${server.url}${path}`, (response) => {
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          length += chunk.length;
          if (path !== '/list') return;
          response.pause();
          setTimeout(() => response.resume(), 10);
        });
        response.on('end', () => resolve(length)).on('error', reject);
      }).on('error', reject);
    });
  expect(await Promise.all([read('/events'), read('/list')])).toEqual([300, large.length]);
  await server.close(100);
});

test.each([
  ['are idle', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', 1],
  ['have sent part of a header', 'GET / HTTP/1.1\r\nHost: ', 0],
  ['have sent part of a body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1', 1],
])(
  'connections that %s are closed at the connection limit, so that new ones are accepted',
  async (_name, bytes, requests) => {
    let started = 0;
    const app = (request: IncomingMessage, response: ServerResponse) => {
      started += 1;
      request.resume().on('end', () => response.end('served'));
    };
    const server = await listen(app, { ...address, limits: { maxConnections: 3 } });
    const others = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const socket = connect(server.port, '127.0.0.1');
        await once(
          socket.on('error', () => {}),
          'connect',
        );
        socket.resume().write(bytes);
        return socket;
      }),
    );
    await until('all have started', () => started === 3 * requests);
    const ask = () =>
      new Promise<number | undefined>((resolve) => {
        get(server.url, { agent: false }, (response) => resolve(response.resume().statusCode)).on(
          'error',
          () => resolve(undefined),
        );
      });
    while ((await ask()) !== 200) await new Promise((resolve) => setTimeout(resolve, 10));
    for (const socket of others) socket.destroy();
    await server.close(100);
  },
);
