import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.js';

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
  proxy = await startTcpProxy((server.address() as AddressInfo).port);
});
afterEach(() => {
  proxy.close();
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

async function open() {
  const socket = connect(proxy.port, '127.0.0.1');
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

async function until(check: () => boolean) {
  for (let turn = 0; turn < 500; turn += 1) {
    if (check()) return;
    await sleep(10);
  }
  throw new Error('Waited in vain.');
}

test('the answer to what is waited for is held, and no other connection’s', async () => {
  const [first, second] = [await open(), await open()];
  proxy.freezeAnswersTo('claim', 'write');
  first.socket.write('a write of one');
  second.socket.write('two');
  await until(() => second.heard === 'two' && received.includes('a write of one'));
  await sleep(50);
  expect(first.heard).toBe('');
  proxy.thaw();
  await until(() => first.heard === 'a write of one');
});

test('what is frozen on its way to the server arrives when it thaws', async () => {
  const client = await open();
  client.socket.write('one');
  await until(() => client.heard === 'one');
  proxy.freeze('to-server');
  client.socket.write('two');
  await sleep(50);
  expect(received).toBe('one');
  proxy.thaw();
  await until(() => client.heard === 'onetwo');
});

test('frozen on the way back, the server has heard it and the client does not know', async () => {
  const client = await open();
  proxy.freeze('to-client');
  client.socket.write('one');
  await until(() => received === 'one');
  await sleep(50);
  expect(client.heard).toBe('');
  proxy.thaw();
  await until(() => client.heard === 'one');
});

test('a connection made while frozen lies still, and works when it thaws', async () => {
  proxy.freeze();
  const client = await open();
  client.socket.write('one');
  await sleep(50);
  expect(received).toBe('');
  proxy.thaw();
  await until(() => client.heard === 'one');
});

test('cutting loses what was held', async () => {
  const client = await open();
  client.socket.write('one');
  await until(() => client.heard === 'one');
  proxy.freeze('to-server');
  client.socket.write('two');
  await sleep(50);
  proxy.cut();
  proxy.thaw();
  await until(() => client.closed);
  expect(received).toBe('one');
});

test('what is late comes in its order, and so does what is not late any more', async () => {
  const client = await open();
  proxy.delay(100);
  const sentAtMs = performance.now();
  client.socket.write('one');
  await until(() => received === 'one');
  expect(performance.now() - sentAtMs).toBeGreaterThan(90);
  client.socket.write('two');
  await sleep(20);
  proxy.delay(0);
  client.socket.write('three');
  await until(() => client.heard === 'onetwothree');
});
