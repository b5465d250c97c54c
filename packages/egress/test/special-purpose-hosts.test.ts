import { createSender } from '../src/index.js';

/**
 * Ranges that deliveries must not reach, listed independently of the code under test. Sources: the IANA registries of
 * special-purpose addresses for IPv4 and IPv6, multicast, and the metadata address of Azure.
 */
const ipv4Ranges = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
const ipv6Ranges = [
  '::/128',
  '::1/128',
  '::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/32',
  '2001:1::1/128',
  '2001:2::/48',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:30::/28',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

interface Address {
  text: string;
  /** Groups of the address, most significant first: 4 groups of 8 bits, or 8 groups of 16 bits. */
  groups: number[];
}

/** Returns the first and the last address of a range. */
function endsOf(range: string, groupsOf: (text: string) => number[]): Address[] {
  const [text = '', length] = range.split('/');
  const first = groupsOf(text);
  const groupBits = 128 / first.length === 16 ? 16 : 8;
  const last = first.map((group, index) => {
    const fixedBits = Math.min(groupBits, Math.max(0, Number(length) - index * groupBits));
    return group | (2 ** (groupBits - fixedBits) - 1);
  });
  return [first, last].map((groups) => ({ text: groups.join(groupBits === 8 ? '.' : ':'), groups }));
}

const ipv4Groups = (text: string) => text.split('.').map(Number);

function ipv6Groups(text: string): number[] {
  const [head = '', tail = ''] = text.split('::');
  const parse = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [before, after] = [parse(head), parse(tail)];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

const hex = (value: number) => value.toString(16);
const padded = (groups: number[]) => groups.map((group) => hex(group).padStart(4, '0')).join(':');
const pairsOf = ([a = 0, b = 0, c = 0, d = 0]: number[]) => [a * 256 + b, c * 256 + d];

/** Returns spellings of an IPv4 address in the host of a URL, and IPv6 addresses that contain the IPv4 address. */
function ipv4Spellings({ text, groups }: Address): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = groups;
  const number = a * 2 ** 24 + b * 2 ** 16 + c * 256 + d;
  const [high = 0, low = 0] = pairsOf(groups);
  return [
    text,
    `${text}.`,
    String(number),
    `0x${hex(number)}`,
    `0X${hex(number).toUpperCase()}`,
    `0${number.toString(8)}`,
    `${a}.${b * 2 ** 16 + c * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    groups.map((octet) => `0x${hex(octet)}`).join('.'),
    groups.map((octet) => `0${octet.toString(8)}`).join('.'),
    groups.map((octet) => `0000${octet.toString(8)}`).join('.'),
    text.replaceAll('.', '%2e'),
    text.replaceAll('.', '。'),
    text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    `user:password@${text}`,
    `[::ffff:${text}]`,
    `[::FFFF:${hex(high)}:${hex(low)}]`,
    `[0:0:0:0:0:ffff:${text}]`,
    `[${padded([0, 0, 0, 0, 0, 0xffff, high, low])}]`,
    `[64:ff9b::${text}]`,
    `[64:ff9b::${hex(high)}:${hex(low)}]`,
    `[::${text}]`,
    `[::ffff:0:${text}]`,
    `[2002:${hex(high)}:${hex(low)}::1]`,
    `[64:ff9b:1::${text}]`,
  ];
}

/** Returns spellings of an IPv6 address in the host of a URL. */
function ipv6Spellings({ groups }: Address): string[] {
  const text = groups.map(hex).join(':');
  const [high = 0, low = 0] = groups.slice(-2);
  const dotted = [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return [
    text,
    text.toUpperCase(),
    padded(groups),
    text.replace(/(^|:)0(:0)+(:|$)/, '::'),
    `${groups.slice(0, 6).map(hex).join(':')}:${dotted}`,
  ].map((address) => `[${address}]`);
}

const sender = createSender({
  allow: [],
  lookup: async (name) => {
    throw new Error(`The address ${name} was taken for a name.`);
  },
});
afterAll(() => sender.close());

async function expectBlocked(hosts: string[]): Promise<void> {
  for (const host of hosts) {
    const result = await sender.send({ url: `http://${host}:1/`, headers: {}, body: '' });
    expect([host, result]).toMatchObject([host, { kind: 'error', code: 'blocked_address' }]);
  }
}

test.each(ipv4Ranges)('spellings of the first and last IPv4 address of %s are blocked', async (range) => {
  await expectBlocked(endsOf(range, ipv4Groups).flatMap(ipv4Spellings));
});

test.each(ipv6Ranges)('spellings of the first and last IPv6 address of %s are blocked', async (range) => {
  await expectBlocked(endsOf(range, ipv6Groups).flatMap(ipv6Spellings));
});

test.each([
  '[fe80::1%25eth0]',
  '[fe80::1%eth0]',
  '127.0.0.1 ',
  '127.0.0.256',
  '[::1',
  '0x100000000',
  '[::1]x',
])('no request is sent to the malformed host "%s"', async (host) => {
  const result = await sender.send({ url: `http://${host}:1/`, headers: {}, body: '' });
  expect(result).toMatchObject({
    kind: 'error',
    code: 'internal_error',
    error: expect.stringContaining('ERR_INVALID_URL'),
  });
});
