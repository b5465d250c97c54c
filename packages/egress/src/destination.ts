import { isIP } from 'node:net';

/** Where a request goes, as the connection needs it. */
export interface Destination {
  /** Scheme, host and port: the key of what connections are shared by. */
  origin: string;
  isTls: boolean;
  /** A name, or an address without brackets. */
  hostname: string;
  isLiteral: boolean;
  port: number;
}

/** @param url absolute, http or https. */
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

/** Scheme and host (with its port) of a URL: what a record may show of it. Empty where the URL cannot be read. */
export function destinationOf(url: string): string {
  if (!URL.canParse(url)) return '';
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
