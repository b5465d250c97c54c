import { promises as dns } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { createSingleFlight, withTimeout } from '@tocsin/kit';
import { LRUCache } from 'lru-cache';
import { type Cidr, isAddressAllowed } from './address-rules.js';
import { allowHint, toDestination } from './destination.js';

/** Resolves a name to IPv4 and IPv6 addresses within a time limit. Rejects if the name has no address. */
export type Lookup = (hostname: string) => Promise<string[]>;

export interface LookupOptions {
  /** Name servers (`address` or `address:port`). Default: the machine's name servers. */
  servers?: string[];
  hostsPath?: string;
  resolvConfPath?: string;
  /** Maximum time for all queries that resolve one name, in milliseconds. Default: 5,000. */
  timeoutMs?: number;
}

/**
 * Maximum number of addresses of each family that are used. A response of a name server can contain 6,000 addresses;
 * checking and dialling all of them would block a worker for half a second per connection. Addresses above the limit
 * are neither checked nor dialled.
 */
const maxAddressesOfFamily = 16;
/**
 * Maximum wait for the second address family after the first one has responded, in milliseconds. It is longer than the
 * 50 ms that RFC 8305 §3 recommends, so that the addresses of both families are usually known and checked.
 */
const otherFamilyMs = 300;
/**
 * Maximum time for the resolution of a host name while the API saves a webhook, in milliseconds. Deliveries
 * use the longer limit `timeoutMs` of the lookup.
 */
const warningTimeoutMs = 2000;

/**
 * Creates a lookup that resolves names through c-ares. `dns.lookup` cannot be cancelled, and occupies one of the four
 * threads in libuv's pool until a name server responds (docs/adr/0017).
 */
export function createLookup(options: LookupOptions = {}): Lookup {
  const cache = new LRUCache<string, { addresses: string[]; expiresAtMs: number }>({ max: 1_000 });
  const queries = createSingleFlight<string[]>();
  const currentSettings = settingsReader(options);

  async function resolve(name: string): Promise<string[]> {
    const { hosts, search, resolver } = await currentSettings();
    const bare = name.replace(/\.$/, '');
    const local = hosts.get(bare) ?? loopbackOf(bare);
    if (local) return local;
    const isAsWritten = name.includes('.');
    const candidates = isAsWritten
      ? [bare, ...(name.endsWith('.') ? [] : search.map((domain) => `${bare}.${domain}`))]
      : [...search.map((domain) => `${bare}.${domain}`), bare];
    for (const candidate of candidates) {
      const addresses = await queryBothFamilies(resolver, candidate);
      if (addresses.length > 0) return addresses;
    }
    throw new Error('the name has no address');
  }

  return async (hostname) => {
    const name = hostname.toLowerCase();
    const cached = cache.get(name);
    if (cached && cached.expiresAtMs > Date.now()) return cached.addresses;
    return queries.run(name, async () => {
      const addresses = await withTimeout(resolve(name), { timeoutMs: options.timeoutMs ?? 5000 });
      // A changed address is used after at most 5 s.
      cache.set(name, { addresses, expiresAtMs: Date.now() + 5_000 });
      return addresses;
    });
  };
}

interface Settings extends SystemNames {
  resolver: dns.Resolver;
}

function settingsReader(options: LookupOptions): () => Promise<Settings> {
  let settings: { value: Promise<Settings>; expiresAtMs: number } | undefined;
  return () => {
    if (!settings || settings.expiresAtMs <= Date.now()) {
      settings = { value: readSettings(options), expiresAtMs: Date.now() + 60_000 };
    }
    return settings.value;
  };
}

async function readSettings({ servers, hostsPath, resolvConfPath }: LookupOptions): Promise<Settings> {
  const names = await readSystemNames({
    hosts: hostsPath ?? '/etc/hosts',
    resolvConf: resolvConfPath ?? '/etc/resolv.conf',
  });
  // Initial time limit of a query. c-ares adapts this limit to the measured latencies, and allows more time for the
  // second try.
  const resolver = new dns.Resolver({ timeout: 1_500, tries: 2 });
  if (servers) resolver.setServers(servers);
  return { ...names, resolver };
}

/** Returns the loopback addresses for localhost and its subdomains. These names must not be queried (RFC 6761 §6.3). */
function loopbackOf(name: string): string[] | undefined {
  return name === 'localhost' || name.endsWith('.localhost') ? ['127.0.0.1', '::1'] : undefined;
}

/**
 * Returns the addresses of a name, IPv4 first, because many machines have no IPv6 route. The queries for both families
 * run at the same time. If the first one to end has found addresses, the other one gets 300 ms more. Otherwise the
 * function waits for the other one. A failed query counts as one without addresses.
 */
async function queryBothFamilies(resolver: dns.Resolver, name: string): Promise<string[]> {
  const v4 = firstOf(resolver.resolve4(name));
  const v6 = firstOf(resolver.resolve6(name));
  const fastest = await Promise.race([v4, v6]);
  if (fastest.length === 0) return (await Promise.all([v4, v6])).flat();
  const both = [v4, v6].map((query) => withTimeout(query, { timeoutMs: otherFamilyMs }).catch(() => []));
  return (await Promise.all(both)).flat();
}

async function firstOf(query: Promise<string[]>): Promise<string[]> {
  const addresses = await query.catch(() => []);
  return addresses.slice(0, maxAddressesOfFamily);
}

/**
 * Returns a warning if the host name in `url` resolves to no address, or to an address that deliveries may not reach;
 * otherwise undefined.
 */
export async function resolutionWarning(
  url: string,
  { lookup, allow }: { lookup: Lookup; allow: readonly Cidr[] },
): Promise<string | undefined> {
  if (!URL.canParse(url)) return undefined;
  const { hostname, isLiteral } = toDestination(new URL(url));
  if (isLiteral) return undefined;
  const addresses = await withTimeout(lookup(hostname), { timeoutMs: warningTimeoutMs }).catch(() => []);
  if (addresses.length === 0) return `The host ${hostname} does not resolve now.`;
  if (addresses.every((address) => isAddressAllowed(address, allow))) return undefined;
  return `The host ${hostname} leads to an address that deliveries may not reach; ${allowHint}.`;
}

/**
 * The machine's settings for name resolution. The lookup reads and applies them itself, because c-ares treats them
 * differently from the resolver of the system.
 */
interface SystemNames {
  /** Addresses of the hosts file, by name in lower case. */
  hosts: ReadonlyMap<string, string[]>;
  /**
   * Domains that are appended to a name. A name without a dot is looked up with them first. A name with a dot is looked
   * up with them only if the name itself has no address, and never if it ends with a dot.
   */
  search: readonly string[];
}

async function readSystemNames(paths: { hosts: string; resolvConf: string }): Promise<SystemNames> {
  const [hosts, resolvConf] = await Promise.all([readOrEmpty(paths.hosts), readOrEmpty(paths.resolvConf)]);
  return { hosts: parseHosts(hosts), search: parseSearch(resolvConf) };
}

/** Parses the format of hosts(5): an address, then its names; `#` starts a comment. */
export function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (!address) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      hosts.set(key, [...(hosts.get(key) ?? []), address]);
    }
  }
  return hosts;
}

/** Parses the search domains of resolv.conf(5), where only the last `search` or `domain` line counts. */
export function parseSearch(text: string): string[] {
  const lines = text.split('\n').filter((line) => /^\s*(search|domain)\s/.test(line));
  const domains = lines.at(-1)?.trim().split(/\s+/).slice(1) ?? [];
  return domains.map((domain) => domain.replace(/\.$/, '')).filter((domain) => domain !== '');
}

/** Returns an empty string if the file cannot be read, because the hosts file and resolv.conf are optional. */
function readOrEmpty(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
