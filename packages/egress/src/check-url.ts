import { type Cidr, isAddressAllowed } from './address-rules.js';
import { toDestination } from './destination.js';

const maxUrlCharacters = 2048;

/**
 * What is wrong with the URL of a webhook, as sentences; none where it may be saved. A name is not looked up here.
 * Addresses are judged as the URL parser reads them, so `0x7f.1`, `2130706433` and `127.0.0.1.` are 127.0.0.1.
 */
export function checkUrl(url: string, { allow }: { allow: readonly Cidr[] }): string[] {
  if (url.length > maxUrlCharacters) return [`must be at most ${maxUrlCharacters} characters`];
  // The parser would take the slashes of "http:/x" as written, and drop spaces and newlines.
  if (!/^https?:\/\/[^/\\]/i.test(url) || /[\s\p{Cc}]/u.test(url) || !URL.canParse(url)) {
    return ['must be an absolute http or https URL'];
  }
  const parsed = new URL(url);
  const problems: string[] = [];
  if (/^https?:\/\/[^/?#\\]*@/i.test(url)) problems.push('must not hold a user name or a password');
  if (url.includes('#')) problems.push('must not have a fragment');
  const { hostname, isLiteral, port } = toDestination(parsed);
  if (port === 0) problems.push('must not name the port 0');
  if (isLiteral && !isAddressAllowed(hostname, allow)) {
    problems.push('must not lead to an address that deliveries may not reach');
  }
  return problems;
}
