import { type RawServer, startRawServer } from '@tocsin/testing';
import { createSender, parseCidrs, type Sender } from '../src/index.js';

let server: RawServer;
let sender: Sender;
const names: Record<string, string[]> = {
  'good.test': ['127.0.0.1'],
  'mixed.test': ['127.0.0.1', '10.0.0.1'],
  'mapped.test': ['::ffff:169.254.169.254'],
  'mapped-private.test': ['8.8.8.8', '::ffff:a00:1'],
  'nat64.test': ['64:ff9b::a9fe:a9fe'],
  'local-nat64.test': ['64:ff9b:1::808:808'],
  'sixtofour.test': ['2002:7f00:1::1'],
  'zone.test': ['fe80::1%lo'],
  'nonsense.test': ['not an address'],
  'second.test': ['127.0.0.9', '127.0.0.1'],
};
let lookups: string[];

beforeEach(async () => {
  lookups = [];
  server = await startRawServer((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
  sender = createSender({
    allow: parseCidrs(['127.0.0.0/8']),
    lookup: async (name) => {
      lookups.push(name);
      return names[name] ?? [];
    },
  });
});

afterEach(async () => {
  await sender.close();
  await server.close();
});

const sendTo = (host: string) =>
  sender.send({ url: `http://${host}:${server.port}/`, headers: {}, body: '{}' });

test.each([
  'mixed.test',
  'mapped.test',
  'mapped-private.test',
  'nat64.test',
  'local-nat64.test',
  'sixtofour.test',
  'zone.test',
  'nonsense.test',
])(
  'a send to %s fails without opening a connection, because one of its addresses is blocked',
  async (name) => {
    expect(await sendTo(name)).toMatchObject({ kind: 'error', code: 'blocked_address' });
    expect(server.sockets).toHaveLength(0);
  },
);

test.each(['0.0.0.0', '10.0.0.1', '0xa.1', '[::1]', '[::ffff:10.0.0.1]', '[::]', '169.254.169.254'])(
  'a send to the blocked address %s fails without name resolution',
  async (host) => {
    expect(await sendTo(host)).toMatchObject({ kind: 'error', code: 'blocked_address' });
    expect(lookups).toEqual([]);
  },
);

test('loopback addresses are blocked by default', async () => {
  const strict = createSender({ allow: [] });
  for (const host of [
    '127.0.0.1',
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    '2130706433',
    '[::1]',
    '[::ffff:7f00:1]',
  ]) {
    const result = await strict.send({ url: `http://${host}:${server.port}/`, headers: {}, body: '' });
    expect([host, result]).toMatchObject([host, { kind: 'error', code: 'blocked_address' }]);
  }
  await strict.close();
  expect(server.sockets).toHaveLength(0);
});

test('a name is resolved once for a connection, and the checked address is dialled', async () => {
  names['rebind.test'] = ['127.0.0.1'];
  const first = sendTo('rebind.test');
  names['rebind.test'] = ['10.0.0.1'];
  expect(await first).toMatchObject({ kind: 'response', statusCode: 200 });
  expect(lookups).toEqual(['rebind.test']);
});

test('if a name moves to a blocked address, sends fail after the maximum age of its connection', async () => {
  await sender.close();
  names['moved.test'] = ['127.0.0.1'];
  sender = createSender({
    allow: parseCidrs(['127.0.0.0/8']),
    maxConnectionAgeMs: 0,
    lookup: async (name) => names[name] ?? [],
  });
  expect(await sendTo('moved.test')).toMatchObject({ statusCode: 200 });
  names['moved.test'] = ['10.0.0.1'];
  expect(await sendTo('moved.test')).toMatchObject({
    code: 'blocked_address',
    error: expect.stringContaining('EGRESS_ALLOW'),
  });
});

test('if the first address of a name refuses the connection, the second address is tried', async () => {
  expect(await sendTo('second.test')).toMatchObject({ kind: 'response', statusCode: 200 });
});

test('resolutionWarning names a host name without an address or with a blocked address', async () => {
  expect(await sender.resolutionWarning('https://good.test/x')).toBeUndefined();
  expect(await sender.resolutionWarning('https://127.0.0.1/x')).toBeUndefined();
  for (const url of ['https://10.0.0.1/x', 'not a url'])
    expect(await sender.resolutionWarning(url)).toBeUndefined();
  expect(await sender.resolutionWarning('https://gone.test/x')).toBe(
    'The host gone.test does not resolve now.',
  );
  expect(await sender.resolutionWarning('https://mixed.test/x')).toBe(
    'The host mixed.test leads to an address that deliveries may not reach; an operator can allow a private range with EGRESS_ALLOW.',
  );
});
