import { type Clock, systemClock } from '../clock.js';
import { isSecure } from '../loopback.js';
import type { Session } from '../sessions/session.js';
import type { TransportOptions } from './transport.js';

export interface ClientOptions {
  /** Base URL of the API, without `/api/v1` or `/auth`. */
  url: string;
  /**
   * If true, plain http is allowed to any host. Anyone on the network path can then read the credential. Default:
   * false.
   */
  allowHttp?: boolean | undefined;
  /** Credential of every request: a session, which renews its tokens, or a fixed token or key. */
  credential: Session | string;
  /** Timeout of each request, including its response body, in milliseconds. Default: 30,000. */
  timeoutMs?: number | undefined;
  /** Maximum number of requests of an idempotent call: the first request and its retries. Default: 4. */
  maxTries?: number | undefined;
  /**
   * Longest `Retry-After` that a call waits for before a retry, in milliseconds. If a response asks for a longer delay,
   * the call fails immediately. Default: 60,000.
   */
  maxRetryAfterMs?: number | undefined;
  clock?: Clock | undefined;
  /** Returns a random number from 0 to 1, for the jitter of retries. */
  random?: (() => number) | undefined;
}

/**
 * Checks the URL and adds the defaults of the options.
 * @throws TypeError if the URL is not http or https, if it has a query, a fragment or a user name, or if it is plain
 * http to a host that is not loopback and `allowHttp` is not true
 */
export function transportOptions(
  options: Omit<ClientOptions, 'credential'>,
  { credential, httpSend }: Pick<TransportOptions, 'credential' | 'httpSend'>,
): TransportOptions {
  const { timeoutMs = 30_000, maxTries = 4, clock = systemClock, random = Math.random } = options;
  const { maxRetryAfterMs } = options;
  const baseUrl = parseBaseUrl(options);
  return { baseUrl, credential, httpSend, timeoutMs, maxTries, maxRetryAfterMs, clock, random };
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
