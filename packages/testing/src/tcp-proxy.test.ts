import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.js';
import { until } from './until.js';

let server: Server;
let proxy: TcpProxy;
let received = '';
const sockets: Socket[] = [];

beforeEach(async () => {
  received = '';
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received += chunk;
      socket.write(chunk);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await startTcpProxy(`tcp://localhost:${(server.address() as AddressInfo).port}/path`);
});
afterEach(async () => {
  await proxy.close();
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

async function open() {
  const { hostname, port } = new URL(proxy.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  const client = { socket, received: '', closed: false };
  socket.on('data', (chunk) => {
    client.received += chunk;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    client.closed = true;
  });
  await once(socket, 'connect');
  return client;
}

/** Opens a connection, sends `one` and waits for its echo. Then freezes the bytes to the server and sends `two`. */
async function openWithFrozenBytes() {
  const client = await open();
  client.socket.write('one');
  await until('the client has its echo', () => client.received === 'one');
  proxy.freeze('to-server');
  client.socket.write('two');
  await sleep(50);
  return client;
}

test('freezeResponsesTo freezes responses only on a connection that sends one of the given texts', async () => {
  const [first, second] = [await open(), await open()];
  proxy.freezeResponsesTo('claim', 'write');
  first.socket.write('a write of one');
  second.socket.write('two');
  await until(
    'the other client has its echo',
    () => second.received === 'two' && received.includes('a write of one'),
  );
  await sleep(50);
  expect(first.received).toBe('');
  proxy.thaw();
  await until('the client has its echo', () => first.received === 'a write of one');
});

test('bytes that a client sends while the proxy is frozen arrive at the server after the thaw', async () => {
  const client = await openWithFrozenBytes();
  expect(received).toBe('one');
  proxy.thaw();
  await until('the client has its echo', () => client.received === 'onetwo');
});

test('the server receives requests while its responses are frozen', async () => {
  const client = await open();
  proxy.freeze('to-client');
  client.socket.write('one');
  await until('the server has received it', () => received === 'one');
  await sleep(50);
  expect(client.received).toBe('');
  proxy.thaw();
  await until('the client has its echo', () => client.received === 'one');
});

test('a connection made during a freeze works after the thaw', async () => {
  proxy.freeze();
  const client = await open();
  client.socket.write('one');
  await sleep(50);
  expect(received).toBe('');
  proxy.thaw();
  await until('the client has its echo', () => client.received === 'one');
});

test('bytes that the proxy has frozen are lost when the connection is cut', async () => {
  const client = await openWithFrozenBytes();
  proxy.cut();
  proxy.thaw();
  await until('the client is cut', () => client.closed);
  expect(received).toBe('one');
});

test('delayed bytes arrive in order, also after the delay is set to 0', async () => {
  const client = await open();
  proxy.delay(100);
  const sentAtMs = performance.now();
  client.socket.write('one');
  await until('the server has received it', () => received === 'one');
  expect(performance.now() - sentAtMs).toBeGreaterThan(90);
  client.socket.write('two');
  await sleep(20);
  proxy.delay(0);
  client.socket.write('three');
  await until('all bytes have arrived', () => client.received === 'onetwothree');
});

test('from refuse() until thaw(), the proxy closes all open connections and each new one', async () => {
  const client = await open();
  proxy.refuse();
  await until('the client is cut', () => client.closed);
  const refused = await open();
  await until('the client is refused', () => refused.closed);
  proxy.thaw();
  const accepted = await open();
  accepted.socket.write('one');
  await until('the client has its echo', () => accepted.received === 'one');
});

test('inject sends bytes at once, and injectWithNext appends them to the next server bytes', async () => {
  const client = await open();
  const packets: string[] = [];
  client.socket.on('data', (chunk) => packets.push(String(chunk)));
  client.socket.write('one');
  await until('the client has its echo', () => client.received === 'one');
  proxy.injectWithNext(Buffer.from('!'));
  proxy.inject(Buffer.from('by the way'));
  await until('the injection has arrived', () => client.received === 'oneby the way');
  client.socket.write('two');
  await until('both have arrived', () => client.received.endsWith('two!'));
  expect(packets).toEqual(['one', 'by the way', 'two!']);
});
