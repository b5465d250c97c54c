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
  // Answers each message with itself.
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
  const client = { socket, heard: '', closed: false };
  socket.on('data', (chunk) => {
    client.heard += chunk;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    client.closed = true;
  });
  await once(socket, 'connect');
  return client;
}

test('the answer to what is waited for is held, and no other connection’s', async () => {
  const [first, second] = [await open(), await open()];
  proxy.freezeAnswersTo('claim', 'write');
  first.socket.write('a write of one');
  second.socket.write('two');
  await until('the other is answered', () => second.heard === 'two' && received.includes('a write of one'));
  await sleep(50);
  expect(first.heard).toBe('');
  proxy.thaw();
  await until('it is answered', () => first.heard === 'a write of one');
});

test('what is frozen on its way to the server arrives when it thaws', async () => {
  const client = await open();
  client.socket.write('one');
  await until('it is answered', () => client.heard === 'one');
  proxy.freeze('to-server');
  client.socket.write('two');
  await sleep(50);
  expect(received).toBe('one');
  proxy.thaw();
  await until('it is answered', () => client.heard === 'onetwo');
});

test('frozen on the way back, the server has heard it and the client does not know', async () => {
  const client = await open();
  proxy.freeze('to-client');
  client.socket.write('one');
  await until('the server has heard it', () => received === 'one');
  await sleep(50);
  expect(client.heard).toBe('');
  proxy.thaw();
  await until('it is answered', () => client.heard === 'one');
});

test('a connection made while frozen lies still, and works when it thaws', async () => {
  proxy.freeze();
  const client = await open();
  client.socket.write('one');
  await sleep(50);
  expect(received).toBe('');
  proxy.thaw();
  await until('it is answered', () => client.heard === 'one');
});

test('cutting loses what was held', async () => {
  const client = await open();
  client.socket.write('one');
  await until('it is answered', () => client.heard === 'one');
  proxy.freeze('to-server');
  client.socket.write('two');
  await sleep(50);
  proxy.cut();
  proxy.thaw();
  await until('it is cut', () => client.closed);
  expect(received).toBe('one');
});

test('what is late comes in its order, and so does what is not late any more', async () => {
  const client = await open();
  proxy.delay(100);
  const sentAtMs = performance.now();
  client.socket.write('one');
  await until('the server has heard it', () => received === 'one');
  expect(performance.now() - sentAtMs).toBeGreaterThan(90);
  client.socket.write('two');
  await sleep(20);
  proxy.delay(0);
  client.socket.write('three');
  await until('all has come', () => client.heard === 'onetwothree');
});

test('refusing ends each connection, also those that come, until it thaws', async () => {
  const client = await open();
  proxy.refuse();
  await until('it is cut', () => client.closed);
  const refused = await open();
  await until('it is refused', () => refused.closed);
  proxy.thaw();
  const taken = await open();
  taken.socket.write('one');
  await until('it is answered', () => taken.heard === 'one');
});

test('what it says itself is heard at once, or in one piece with what the server says next', async () => {
  const client = await open();
  const pieces: string[] = [];
  client.socket.on('data', (chunk) => pieces.push(String(chunk)));
  client.socket.write('one');
  await until('it is answered', () => client.heard === 'one');
  proxy.sayWithNext(Buffer.from('!'));
  proxy.say(Buffer.from('by the way'));
  await until('it has heard it', () => client.heard === 'oneby the way');
  client.socket.write('two');
  await until('it has heard both', () => client.heard.endsWith('two!'));
  expect(pieces).toEqual(['one', 'by the way', 'two!']);
});
