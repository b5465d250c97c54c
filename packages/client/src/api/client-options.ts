import { type Clock, systemClock } from '../clock.js';
import type { Session } from '../sessions/session.js';
import type { TransportOptions } from './transport.js';

export interface ClientOptions {
  /** The API's address, with what is in front of `/api/v1` or `/auth`, if anything. */
  url: string;
  /** A session, or a credential that is sent as it is. */
  credential: Session | string;
  /** For each try, the answer included; 30 s unless given. */
  timeoutMs?: number | undefined;
  /** Of idempotent requests, the first one included; 4 unless given. */
  maxTries?: number | undefined;
  clock?: Clock | undefined;
  /** 0 to 1, for the jitter. */
  random?: (() => number) | undefined;
}

/** @throws TypeError for a url that is not http or https, or that carries a query or credentials of its own */
export function transportOptions(
  options: Omit<ClientOptions, 'credential'>,
  credential: Session | string,
): TransportOptions {
  const { timeoutMs = 30_000, maxTries = 4, clock = systemClock, random = Math.random } = options;
  return { baseUrl: parseBaseUrl(options.url), credential, timeoutMs, maxTries, clock, random };
}

function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const usable =
    url !== undefined && /^https?:$/.test(url.protocol) && `${url.search}${url.hash}${url.username}` === '';
  if (!usable) throw new TypeError(`${JSON.stringify(text)} is not the http or https address of an API.`);
  return url.href.replace(/\/+$/, '');
}
