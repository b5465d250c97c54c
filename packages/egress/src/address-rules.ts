import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** One range of addresses, parsed. */
export type Cidr = [address: ipaddr.IPv4 | ipaddr.IPv6, prefixLength: number];

/**
 * IPv4 ranges that no delivery may reach: the whole IANA special-purpose registry (also the entries marked globally
 * reachable: they are relays and anycast services, never a webhook), multicast, and the one public address at
 * which a cloud (Azure) answers its guests.
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

/** Only this range holds global unicast addresses; all else in IPv6 is refused without being named. */
const globalV6 = parseRange('2000::/3');

/**
 * What is special within the global range: protocol assignments (Teredo, ORCHID, benchmarking, …), documentation,
 * 6to4, AS112. Source: https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const blockedV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'].map(
  parseRange,
);

/** The prefixes that carry an IPv4 address in their last 32 bits and lead to it: mapped, and well-known NAT64. */
const wrappedV4 = ['::ffff:0:0/96', '64:ff9b::/96'].map(parseRange);

/**
 * Reads ranges such as `10.0.0.0/8`, `fd00::/8` or a single address.
 * @throws Error naming the first one that is neither.
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
 * Whether a delivery may reach `address` (text without brackets). What cannot be read is refused, zones too.
 * An address within an address (IPv4-mapped, NAT64) is judged as the one inside.
 */
export function isAddressAllowed(address: string, allow: readonly Cidr[]): boolean {
  const parsed = parseAddress(address);
  if (!parsed) return false;
  const judged = unwrap(parsed);
  if (allow.some((range) => isWithin(judged, range) || isWithin(parsed, range))) return true;
  if (judged.kind() === 'ipv4') return !blockedV4.some((range) => isWithin(judged, range));
  return isWithin(judged, globalV6) && !blockedV6.some((range) => isWithin(judged, range));
}

/** Reads what the operating system reads; ipaddr.js alone takes more (`127.1`), and `::1.2.3.4` for a mapped address. */
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
