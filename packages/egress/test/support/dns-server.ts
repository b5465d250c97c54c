import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface DnsServer {
  /** `address:port`, for the option `servers` of `createLookup`. */
  server: string;
  /** Received queries in order, as `A name` or `AAAA name`. */
  questions: string[];
  close(): Promise<void>;
}

/**
 * DNS records by name. A name with `hang` gets no response, and a name with `broken` gets a server failure. A name that
 * is not listed gets NXDOMAIN.
 */
export type Zone = Record<string, { A?: string[]; AAAA?: string[] } | 'hang' | 'broken'>;

/** Starts a DNS server on loopback (UDP). */
export async function startDnsServer(zone: Zone): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const questions: string[] = [];
  socket.on('message', (query, peer) => {
    const { name, type, questionEnd } = readQuestion(query);
    questions.push(`${type} ${name}`);
    const entry = Object.hasOwn(zone, name) ? zone[name] : undefined;
    if (entry === 'hang') return;
    const records =
      typeof entry === 'object' && type ? (entry[type] ?? []).map((ip) => record(type, ip)) : [];
    const responseCode = entry === 'broken' ? 2 : entry === undefined ? 3 : 0;
    const header = Buffer.alloc(12);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    header.writeUInt16BE(0x8180 | responseCode, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    socket.send(
      Buffer.concat([header, query.subarray(12, questionEnd), ...records]),
      peer.port,
      peer.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    server: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer) {
  const labels: string[] = [];
  let offset = 12;
  for (let length = query[offset] ?? 0; length > 0; length = query[offset] ?? 0) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length));
    offset += length + 1;
  }
  const type = { 1: 'A' as const, 28: 'AAAA' as const }[query.readUInt16BE(offset + 1)];
  return { name: labels.join('.').toLowerCase(), type, questionEnd: offset + 5 };
}

function record(type: 'A' | 'AAAA', address: string): Buffer {
  const data = type === 'A' ? Buffer.from(address.split('.').map(Number)) : fullIpv6(address);
  const head = Buffer.from([0xc0, 12, 0, type === 'A' ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, data.length]);
  return Buffer.concat([head, data]);
}

function fullIpv6(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  const groups = address.includes('::') ? [...before, ...zeros, ...after] : before;
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
