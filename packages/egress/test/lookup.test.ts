import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realTimersExcept, startRawServer } from '@tocsin/testing';
import { createSender, parseCidrs } from '../src/index.js';
import { createLookup, type Lookup, type LookupOptions } from '../src/lookup.js';
import { type DnsServer, startDnsServer } from './support/dns-server.js';

let dns: DnsServer;
let directory: string;

beforeEach(async () => {
  dns = await startDnsServer({
    'both.test': { A: ['192.0.2.1', '192.0.2.2'], AAAA: ['2001:db8::1'] },
    'v4.test': { A: ['127.0.0.1'] },
    'v6.test': { AAAA: ['::1'] },
    'empty.test': {},
    'many-v4.test': { A: Array.from({ length: 100 }, (_, index) => `127.0.0.${index + 1}`) },
    'many-v6.test': { AAAA: Array.from({ length: 100 }, (_, index) => `2001:db8::${index + 1}`) },
    'hang.test': 'hang',
    'broken.test': 'broken',
    'receiver.inner.test': { A: ['10.0.0.7'] },
    'receiver.svc.inner.test': { A: ['10.0.0.8'] },
    'both.test.inner.test': { A: ['10.0.0.9'] },
  });
  directory = mkdtempSync(join(tmpdir(), 'tocsin-lookup-'));
  writeFileSync(join(directory, 'hosts'), '10.0.0.1 pinned.test Box\n::1 box\n');
  writeFileSync(join(directory, 'resolv.conf'), 'search other.test inner.test\n');
});

afterEach(async () => {
  await dns.close();
  rmSync(directory, { recursive: true });
});

function startLookup(options: LookupOptions = {}): Lookup {
  return createLookup({
    servers: [dns.server],
    hostsPath: join(directory, 'hosts'),
    resolvConfPath: join(directory, 'resolv.conf'),
    ...options,
  });
}

test('a name resolves to the addresses of both families, IPv4 first', async () => {
  const lookup = startLookup();
  expect(await lookup('both.test')).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
  expect(await lookup('v4.test')).toEqual(['127.0.0.1']);
  expect(await lookup('v6.test')).toEqual(['::1']);
});

test('a name with a hundred addresses of one family resolves to sixteen of them', async () => {
  const lookup = startLookup();
  expect(await lookup('many-v4.test')).toHaveLength(16);
  expect(await lookup('many-v6.test')).toHaveLength(16);
});

test('a lookup throws an error if the name is unknown or has no address, or if DNS fails', async () => {
  const lookup = startLookup();
  for (const name of ['empty.test', 'unknown.test', 'broken.test', 'unknown', '']) {
    await expect(lookup(name)).rejects.toThrow();
  }
});

test('a name in the hosts file is not queried, even in upper case or with a trailing dot', async () => {
  const lookup = startLookup();
  expect(await lookup('pinned.test')).toEqual(['10.0.0.1']);
  expect(await lookup('PINNED.test.')).toEqual(['10.0.0.1']);
  expect(await lookup('box')).toEqual(['10.0.0.1', '::1']);
  expect(dns.questions).toEqual([]);
});

test('localhost and its subdomains are never queried', async () => {
  const lookup = startLookup();
  expect(await lookup('localhost')).toEqual(['127.0.0.1', '::1']);
  expect(await lookup('app.localhost')).toEqual(['127.0.0.1', '::1']);
  expect(dns.questions).toEqual([]);
  await expect(lookup('mylocalhost.test')).rejects.toThrow();
  await expect(lookup('x.notlocalhost')).rejects.toThrow();
  expect(dns.questions).toEqual(expect.arrayContaining(['A mylocalhost.test', 'A x.notlocalhost']));
});

test('search domains are tried first for a name without a dot, and last for a name with a dot', async () => {
  const lookup = startLookup();
  expect(await lookup('receiver')).toEqual(['10.0.0.7']);
  expect(await lookup('receiver.svc')).toEqual(['10.0.0.8']);
  expect((await lookup('both.test'))[0]).toBe('192.0.2.1');
  await expect(lookup('receiver.svc.')).rejects.toThrow();
});

test('lookups of a name within 5 s cause one query for each address family', async () => {
  const lookup = startLookup();
  await Promise.all(Array.from({ length: 50 }, () => lookup('v4.test')));
  await lookup('V4.test');
  expect([...dns.questions].sort()).toEqual(['A v4.test', 'AAAA v4.test']);
});

/**
 * Runs `work` with a stopped clock. `setAge(ms)` sets the clock to `ms` milliseconds after the start of `work`. Timers
 * are real.
 */
async function withClock(work: (setAge: (ms: number) => void) => Promise<void>): Promise<void> {
  const { jest } = import.meta;
  const startMs = Date.now();
  jest.useFakeTimers({ doNotFake: realTimersExcept('Date'), now: startMs });
  try {
    await work((ms) => jest.setSystemTime(startMs + ms));
  } finally {
    jest.useRealTimers();
  }
}

test('a name is queried again when its last query is 5 s old', async () => {
  const lookup = startLookup();
  await withClock(async (setAge) => {
    const questionsAfter = async (ms: number) => {
      setAge(ms);
      await lookup('v4.test');
      return dns.questions.length;
    };
    expect(await questionsAfter(0)).toBe(2);
    expect(await questionsAfter(4_999)).toBe(2);
    expect(await questionsAfter(5_000)).toBe(4);
  });
});

test('the hosts file is read again 60 s after it was last read', async () => {
  const lookup = startLookup();
  await withClock(async (setAge) => {
    expect(await lookup('pinned.test')).toEqual(['10.0.0.1']);
    writeFileSync(join(directory, 'hosts'), '10.0.0.2 pinned.test\n');
    setAge(59_999);
    expect(await lookup('pinned.test')).toEqual(['10.0.0.1']);
    setAge(65_000);
    expect(await lookup('pinned.test')).toEqual(['10.0.0.2']);
  });
});

test('a lookup rejects at its time limit if the name server does not respond', async () => {
  await expect(startLookup({ timeoutMs: 200 })('hang.test')).rejects.toThrow('200 ms');
});

test('a name whose lookup gets no response delays no other name or destination', async () => {
  const server = await startRawServer((socket) =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
  );
  const sender = createSender({
    allow: parseCidrs(['127.0.0.0/8']),
    lookup: startLookup({ timeoutMs: 1500 }),
    connectTimeoutMs: 1500,
  });
  const ended: string[] = [];
  const sendTo = async (host: string) => {
    const result = await sender.send({ url: `http://${host}:${server.port}/`, headers: {}, body: '' });
    ended.push(host);
    return result;
  };
  const hanging = Array.from({ length: 100 }, () => sendTo('hang.test'));
  const others = await Promise.all(Array.from({ length: 20 }, () => sendTo('v4.test')));
  expect(others.every((result) => result.kind === 'response')).toBe(true);
  expect(ended).not.toContain('hang.test');
  expect(await hanging[0]).toMatchObject({ kind: 'error', code: 'dns_failure' });
  await Promise.all(hanging);
  await sender.close();
  await server.close();
});
