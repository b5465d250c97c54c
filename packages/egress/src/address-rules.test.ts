import fc from 'fast-check';
import { isAddressAllowed, parseCidrs } from './address-rules.js';

const blocked = [
  ['this network', '0.0.0.0', '0.255.255.255'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ['carrier-grade NAT and the metadata service in it', '100.64.0.1', '100.100.100.200', '100.127.255.255'],
  ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
  ['unspecified', '::'],
  ['link-local and the metadata service in it', '169.254.169.254', 'fe80::1', 'febf::1'],
  ['the address of Azure for its guests', '168.63.129.16'],
  ['protocol assignments', '192.0.0.1', '192.0.0.192', '2001::1', '2001:1ff::1'],
  ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1', '3fff:fff::1'],
  ['AS112 and AMT', '192.31.196.1', '192.52.193.1', '192.175.48.1', '2620:4f:8000::1'],
  ['6to4', '192.88.99.1', '2002::1', '2002:808:808::1'],
  ['Teredo', '2001:0:4136:e378::1'],
  ['ORCHID and benchmarking', '198.18.0.1', '198.19.255.255', '2001:2::1', '2001:20::1'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  ['reserved and broadcast', '240.0.0.1', '255.255.255.255', '4000::1', '5f00::1', '100::1'],
  ['unique local and the metadata services in it', 'fc00::1', 'fd00:ec2::254', 'fd20:ce::254'],
  ['site-local', 'fec0::1'],
  ['mapped, of a blocked address', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::ffff:168.63.129.16'],
  ['NAT64, of a blocked address', '64:ff9b::10.0.0.1', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe'],
  ['local NAT64', '64:ff9b:1::808:808', '64:ff9b:1:ffff::1'],
  ['IPv4-compatible and translated', '::7f00:1', '::8.8.8.8', '::ffff:0:127.0.0.1'],
  ['with a zone', 'fe80::1%eth0', 'fe80::1%1'],
  ['not an address', '', 'localhost', '1.2.3.4.5', '[::1]', '8.8.8.8 ', 'g::1'],
  ['written loosely', '127.1', '2130706433', '0x7f.0.0.1', '010.8.8.8'],
] satisfies [string, ...string[]][];

test.each(blocked.map(([kind, ...addresses]) => ({ kind, addresses })))(
  'an address of the kind "$kind" is blocked',
  ({ addresses }) => {
    for (const address of addresses)
      expect([address, isAddressAllowed(address, [])]).toEqual([address, false]);
  },
);

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '168.63.129.17',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.1',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2001:200::1',
  '2606:4700::1111',
  '2a00:1450:4001:81b::200e',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
])('the public address %s is allowed', (address) => {
  expect(isAddressAllowed(address, [])).toBe(true);
});

/** Returns the highest IPv6 address that starts with these groups. */
const highest = (address: string) =>
  [...address.split(':'), ...Array<string>(8).fill('ffff')].slice(0, 8).join(':');

/** First and last addresses of the blocked ranges, with the public addresses directly before and after them. */
const edges: [before: string | null, first: string, last: string, after: string | null][] = [
  [null, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17'],
  ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['192.31.195.255', '192.31.196.0', '192.31.196.255', '192.31.197.0'],
  ['192.52.192.255', '192.52.193.0', '192.52.193.255', '192.52.194.0'],
  ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['192.175.47.255', '192.175.48.0', '192.175.48.255', '192.175.49.0'],
  ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['223.255.255.255', '224.0.0.0', '239.255.255.255', null],
  [null, '240.0.0.0', '255.255.255.255', null],
  [null, '::', highest('1fff'), '2000::'],
  [highest('2000'), '2001::', highest('2001:1ff'), '2001:200::'],
  [highest('2001:db7'), '2001:db8::', highest('2001:db8'), '2001:db9::'],
  [highest('2001'), '2002::', highest('2002'), '2003::'],
  [highest('2620:4f:7fff'), '2620:4f:8000::', highest('2620:4f:8000'), '2620:4f:8001::'],
  [highest('3ffe'), '3fff::', highest('3fff:fff'), '3fff:1000::'],
  [highest('3fff'), '4000::', highest('ffff'), null],
];

test.each(edges)(
  'a range blocks its two ends, but not the addresses next to them: %s [%s to %s] %s',
  (before, first, last, after) => {
    for (const address of [first, last])
      expect([address, isAddressAllowed(address, [])]).toEqual([address, false]);
    for (const address of [before, after])
      if (address !== null) expect([address, isAddressAllowed(address, [])]).toEqual([address, true]);
  },
);

test('IPv4-mapped and NAT64 addresses are checked as the IPv4 address that they contain', () => {
  const octet = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(fc.tuple(octet, octet, octet, octet), (octets) => {
      const plain = octets.join('.');
      const expected = isAddressAllowed(plain, []);
      expect(isAddressAllowed(`::ffff:${plain}`, [])).toBe(expected);
      expect(isAddressAllowed(`64:ff9b::${plain}`, [])).toBe(expected);
    }),
  );
});

test('an allowed range allows only its addresses, including their IPv4-mapped and NAT64 forms', () => {
  const allow = parseCidrs([
    '10.1.0.0/16',
    '127.0.0.1',
    'fd00:1::/32',
    '64:ff9b:1::/48',
    '64:ff9b::a02:0/112',
  ]);
  for (const address of [
    '10.1.2.3',
    '127.0.0.1',
    '::ffff:10.1.2.3',
    '64:ff9b::10.1.2.3',
    'fd00:1::9',
    '64:ff9b:1::1',
    '64:ff9b::10.2.0.1',
  ]) {
    expect([address, isAddressAllowed(address, allow)]).toEqual([address, true]);
  }
  for (const address of ['10.2.0.1', '127.0.0.2', 'fd00:2::1', '::1', 'fe80::1']) {
    expect([address, isAddressAllowed(address, allow)]).toEqual([address, false]);
  }
});

test.each([
  '10.0.0.0/33',
  'fd00::/129',
  'localhost',
  '10.0.0.0/',
  '/8',
  '',
  'fe80::1%eth0/64',
  '10.0.0.0/8/8',
  '10.0.0.0/10.0.0.0/8',
])('the error for the invalid address range "%s" quotes the range', (text) => {
  expect(() => parseCidrs(['10.0.0.0/8', text])).toThrow(`"${text}" is not a range`);
});
