import { withTimeout } from '@tocsin/kit';
import { type Cidr, isAddressAllowed } from './address-rules.js';
import { toDestination } from './destination.js';
import type { Lookup } from './lookup.js';

/** Saving waits no longer for a name; the delivery itself gives it more. */
const patienceMs = 2000;

/** Why nothing could be delivered to `url` now, judged by what its name resolves to; undefined where it could. */
export async function resolveWarning(
  url: string,
  { lookup, allow }: { lookup: Lookup; allow: readonly Cidr[] },
): Promise<string | undefined> {
  if (!URL.canParse(url)) return undefined;
  const { hostname, isLiteral } = toDestination(new URL(url));
  if (isLiteral) return undefined;
  const addresses = await withTimeout(lookup(hostname), { timeoutMs: patienceMs }).catch(() => []);
  if (addresses.length === 0) return `The host ${hostname} does not resolve now.`;
  if (addresses.every((address) => isAddressAllowed(address, allow))) return undefined;
  return `The host ${hostname} leads to an address that deliveries may not reach.`;
}
