import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A parsed range of addresses. */
export type Cidr = [address: ipaddr.IPv4 | ipaddr.IPv6, prefixLength: number];

/**
 * IPv4 ranges that deliveries must not reach: the IANA special-purpose registry, multicast, and 168.63.129.16, the
 * address of Azure's platform services. Entries that the registry marks as globally reachable are included, because
 * they are relays and anycast services.
 * Source: https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const blockedV4 = [
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
].map(parseRange);

/** The only IPv6 range with global unicast addresses. Every address outside this range is blocked. */
const globalV6 = parseRange('2000::/3');

/**
 * Blocked ranges within `globalV6`: protocol assignments (Teredo, ORCHID, benchmarking), documentation, 6to4, AS112.
 * Source: https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const blockedV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'].map(
  parseRange,
);

/** IPv6 prefixes whose traffic goes to the IPv4 address in the last 32 bits: IPv4-mapped and well-known NAT64. */
const wrappedV4 = ['::ffff:0:0/96', '64:ff9b::/96'].map(parseRange);

/**
 * Parses ranges such as `10.0.0.0/8` and `fd00::/8`, and single addresses.
 * @throws Error that names the first invalid range
 */
export function parseCidrs(texts: readonly string[]): Cidr[] {
  return texts.map((text) => {
    const [, addressText = '', prefixText] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
    const address = parseAddress(addressText);
    const bits = address?.kind() === 'ipv4' ? 32 : 128;
    const prefixLength = prefixText === undefined ? bits : Number(prefixText);
    if (address && prefixLength <= bits) return [address, prefixLength];
    throw new Error(`"${text}" is not a range of addresses such as 10.0.0.0/8 or fd00::/8`);
  });
}

/**
 * Returns true if deliveries may reach `address`, which is written without brackets. Strings that are not an address,
 * and addresses with a zone, are blocked. IPv4-mapped and NAT64 addresses are checked as the IPv4 address that they
 * contain.
 */
export function isAddressAllowed(address: string, allow: readonly Cidr[]): boolean {
  const parsed = parseAddress(address);
  if (!parsed) return false;
  const inner = unwrap(parsed);
  if (allow.some((range) => isWithin(inner, range) || isWithin(parsed, range))) return true;
  if (inner.kind() === 'ipv4') return !blockedV4.some((range) => isWithin(inner, range));
  return isWithin(inner, globalV6) && !blockedV6.some((range) => isWithin(inner, range));
}

/**
 * Parses an address in a notation that `net.isIP` accepts, without a zone. ipaddr.js alone also accepts `127.1` and
 * misreads `::1.2.3.4`.
 */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  if (isIP(text) === 4 || !text.includes('.')) return ipaddr.parse(text);
  return ipaddr.parse(new URL(`http://[${text}]`).hostname.slice(1, -1));
}

function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!wrappedV4.some((range) => isWithin(address, range))) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, [range, prefixLength]: Cidr): boolean {
  return address.kind() === range.kind() && address.match(range, prefixLength);
}

function parseRange(text: string): Cidr {
  return ipaddr.parseCIDR(text);
}
