import { type Clock, systemClock } from '../clock.js';
import type { Session } from '../sessions/session.js';
import type { TransportOptions } from './transport.js';

export interface ClientOptions {
  /** Base URL of the API, without `/api/v1` or `/auth`. */
  url: string;
  /** Credential of every request: a session, or a fixed token or key. */
  credential: Session | string;
  /** Timeout of each try, the response body included. Default: 30 s. */
  timeoutMs?: number | undefined;
  /** Maximum number of tries of an idempotent request. Default: 4. */
  maxTries?: number | undefined;
  clock?: Clock | undefined;
  /** Returns a random number from 0 to 1, for the jitter of retries. */
  random?: (() => number) | undefined;
}

/** @throws TypeError for a URL that is not http or https, or that has a query or credentials */
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
