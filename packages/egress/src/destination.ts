import { isIP } from 'node:net';
import { type Cidr, isAddressAllowed } from './address-rules.js';

/** The parts of a URL that a connection needs. */
export interface Destination {
  /** Scheme, host and port. Requests with the same origin share connections. */
  origin: string;
  isTls: boolean;
  /** A host name, or an address without brackets. */
  hostname: string;
  /** True if `hostname` is an address. */
  isLiteral: boolean;
  port: number;
}

const maxUrlCharacters = 2048;

/** Last part of each error sentence about a blocked address. It names the setting that can allow the address. */
export const allowHint = 'an operator can allow a private range with EGRESS_ALLOW';

/**
 * Returns the problems of a webhook's URL as sentences; empty if the URL can be saved. Host names are not resolved
 * here. The URL parser normalises addresses first, so `0x7f.1`, `2130706433` and `127.0.0.1.` are checked as 127.0.0.1.
 */
export function checkUrl(url: string, { allow }: { allow: readonly Cidr[] }): string[] {
  if (url.length > maxUrlCharacters) return [`must be at most ${maxUrlCharacters} characters`];
  // The URL parser alone also accepts "http:/x", and silently removes spaces and newlines.
  if (!/^https?:\/\/[^/\\]/i.test(url) || /[\s\p{Cc}]/u.test(url) || !URL.canParse(url)) {
    return ['must be an absolute http or https URL'];
  }
  const problems: string[] = [];
  if (/^https?:\/\/[^/?#\\]*@/i.test(url)) problems.push('must not contain a user name or a password');
  if (url.includes('#')) problems.push('must not have a fragment');
  const { hostname, isLiteral, port } = toDestination(new URL(url));
  if (port === 0) problems.push('must not name the port 0');
  if (isLiteral && !isAddressAllowed(hostname, allow)) {
    problems.push(`must not lead to an address that deliveries may not reach; ${allowHint}`);
  }
  return problems;
}

/** Splits an absolute http or https URL into the parts that a connection needs. */
export function toDestination(url: URL): Destination {
  const isTls = url.protocol === 'https:';
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  return {
    origin: url.origin,
    isTls,
    hostname,
    isLiteral: isIP(hostname) !== 0,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
  };
}

/**
 * Returns scheme, host and port of a URL, the only parts that logs may show. Returns an empty string if the URL cannot
 * be parsed.
 */
export function destinationOf(url: string): string {
  if (!URL.canParse(url)) return '';
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
