import { type Clock, systemClock } from '../clock.js';
import { isSecure } from '../loopback.js';
import type { Session } from '../sessions/session.js';
import type { TransportOptions } from './transport.js';

export interface ClientOptions {
  /** Base URL of the API, without `/api/v1` or `/auth`. */
  url: string;
  /**
   * True: plain http is allowed to any host. Anyone on the network path can then read the credential. Default: false.
   */
  allowHttp?: boolean | undefined;
  /** Credential of every request: a session, which renews its tokens, or a fixed token or key. */
  credential: Session | string;
  /** Timeout of each request, including its response body, in milliseconds. Default: 30,000. */
  timeoutMs?: number | undefined;
  /** Maximum number of requests of a call that is idempotent: the first request and its retries. Default: 4. */
  maxTries?: number | undefined;
  clock?: Clock | undefined;
  /** Returns a random number from 0 to 1, for the jitter of retries. */
  random?: (() => number) | undefined;
}

/**
 * @throws TypeError for a URL that is not http or https, or that has a query, a fragment or a user name. Unless
 * `allowHttp` is true, also for plain http to a host that is not loopback.
 */
export function transportOptions(
  options: Omit<ClientOptions, 'credential'>,
  { credential, exchange }: Pick<TransportOptions, 'credential' | 'exchange'>,
): TransportOptions {
  const { timeoutMs = 30_000, maxTries = 4, clock = systemClock, random = Math.random } = options;
  return { baseUrl: parseBaseUrl(options), credential, exchange, timeoutMs, maxTries, clock, random };
}

function parseBaseUrl({ url: text, allowHttp = false }: Omit<ClientOptions, 'credential'>): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const usable =
    url !== undefined && /^https?:$/.test(url.protocol) && `${url.search}${url.hash}${url.username}` === '';
  if (!usable) throw new TypeError(`${JSON.stringify(text)} is not the http or https address of an API.`);
  if (!allowHttp && !isSecure(url)) {
    throw new TypeError(
      `${url.origin} is plain http, which shows the credential to the network. Use https, or allow it: --allow-http, or the option \`allowHttp: true\`.`,
    );
  }
  return url.href.replace(/\/+$/, '');
}
