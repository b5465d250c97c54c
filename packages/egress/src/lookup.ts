import { promises as dns } from 'node:dns';
import { createSingleFlight, withTimeout } from '@tocsin/kit';
import { LRUCache } from 'lru-cache';
import { readSystemNames, type SystemNames } from './system-names.js';

/** The addresses of a name, IPv4 and IPv6. Rejects where it has none; bounded in time. */
export type Lookup = (hostname: string) => Promise<string[]>;

export interface LookupOptions {
  /** Name servers (`address` or `address:port`). Default: the machine's. */
  servers?: string[];
  hostsPath?: string;
  resolvConfPath?: string;
  /** For all that one name takes. */
  timeoutMs?: number;
}

/** Names are asked for again after this: a connection outlives it, a burst of connections shares it. */
const cacheMs = 5000;
const maxCachedNames = 1000;
/**
 * Addresses of one family that are used: a name server can give thousands, and judging and dialling them stood a worker
 * still for half a second at each connection. Those left out are not dialled, so nothing unjudged is.
 */
const maxAddressesOfFamily = 16;
/** How often the machine's settings are read anew. */
const settingsMs = 60_000;
/** One question to one name server; c-ares doubles it at the second try. */
const queryTimeoutMs = 1500;
/** How long the other family is waited for, once one has addresses (RFC 8305 §3 waits 50 ms; guarding waits longer). */
const otherFamilyMs = 300;

/**
 * Asks the name servers through c-ares. dns.lookup would block one of four threads for a name that hangs, with no way
 * to stop it; why nothing is lost by that: docs/adr/0020.
 */
export function createLookup(options: LookupOptions = {}): Lookup {
  const cache = new LRUCache<string, { addresses: string[]; expiresAt: number }>({ max: maxCachedNames });
  const flights = createSingleFlight<string[]>();
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
    if (cached && cached.expiresAt > Date.now()) return cached.addresses;
    return flights.run(name, async () => {
      const addresses = await withTimeout(resolve(name), { timeoutMs: options.timeoutMs ?? 5000 });
      cache.set(name, { addresses, expiresAt: Date.now() + cacheMs });
      return addresses;
    });
  };
}

interface Settings extends SystemNames {
  resolver: dns.Resolver;
}

function settingsReader(options: LookupOptions): () => Promise<Settings> {
  let settings: { value: Promise<Settings>; expiresAt: number } | undefined;
  return () => {
    if (!settings || settings.expiresAt <= Date.now()) {
      settings = { value: readSettings(options), expiresAt: Date.now() + settingsMs };
    }
    return settings.value;
  };
}

async function readSettings({ servers, hostsPath, resolvConfPath }: LookupOptions): Promise<Settings> {
  const names = await readSystemNames({
    hosts: hostsPath ?? '/etc/hosts',
    resolvConf: resolvConfPath ?? '/etc/resolv.conf',
  });
  const resolver = new dns.Resolver({ timeout: queryTimeoutMs, tries: 2 });
  if (servers) resolver.setServers(servers);
  return { ...names, resolver };
}

/** RFC 6761 §6.3: these never leave the machine. */
function loopbackOf(name: string): string[] | undefined {
  return name === 'localhost' || name.endsWith('.localhost') ? ['127.0.0.1', '::1'] : undefined;
}

/** IPv4 first, as machines without a route for IPv6 are still many. A failed query counts as no address. */
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
