import { readFile } from 'node:fs/promises';

/** What the machine itself says about names, beside its name servers. */
export interface SystemNames {
  /** Addresses of the hosts file, by name in lower case. */
  hosts: ReadonlyMap<string, string[]>;
  /** Domains that a name without a dot is tried in. */
  search: readonly string[];
}

export async function readSystemNames(paths: { hosts: string; resolvConf: string }): Promise<SystemNames> {
  const [hosts, resolvConf] = await Promise.all([readOrEmpty(paths.hosts), readOrEmpty(paths.resolvConf)]);
  return { hosts: parseHosts(hosts), search: parseSearch(resolvConf) };
}

/** hosts(5): an address, then its names; `#` begins a comment. */
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

/** resolv.conf(5): the last `search` or `domain` line counts. */
export function parseSearch(text: string): string[] {
  const lines = text.split('\n').filter((line) => /^\s*(search|domain)\s/.test(line));
  const domains = lines.at(-1)?.trim().split(/\s+/).slice(1) ?? [];
  return domains.map((domain) => domain.replace(/\.$/, '')).filter((domain) => domain !== '');
}

/** A machine without the file has nothing to say there. */
function readOrEmpty(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
