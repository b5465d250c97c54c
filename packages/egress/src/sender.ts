import { createTickThrottle } from '@tocsin/kit';
import { Axios, AxiosHeaders, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import { LRUCache } from 'lru-cache';
import type { Cidr } from './address-rules.js';
import { type Cancellation, createCancellation } from './cancellation.js';
import { loadCertificateAuthorities } from './certificate-authorities.js';
import { createConnection } from './connection.js';
import { createConnectionPool } from './connection-pool.js';
import { createLookup, type Lookup, resolutionWarning } from './lookup.js';
import { openSocket } from './open-socket.js';
import type { RawResponse } from './response-reader.js';
import { SendFailure } from './send-failure.js';
import { type SendResult, toHttpResponse, toSendError } from './send-result.js';
import { createTargets, type Target } from './target.js';

export interface SenderOptions {
  /** Special-purpose address ranges that deliveries may reach (see `parseCidrs`). */
  allow: readonly Cidr[];
  /** PEM file of private certificate authorities, trusted in addition to the public ones. */
  caFile?: string | undefined;
  /** Time limit for name resolution, TCP and TLS together, in milliseconds. Default: 5,000. */
  connectTimeoutMs?: number;
  /** Time limit of a send, from name resolution to the end of the body, in milliseconds. Default: 10,000. */
  totalTimeoutMs?: number;
  /** Maximum number of bytes of a response body that are kept. Default: 65,536. */
  maxResponseBytes?: number;
  /** Maximum number of idle connections to one destination. Default: 32. */
  maxIdlePerDestination?: number;
  /** Maximum number of idle connections in total. Default: 512. */
  maxIdle?: number;
  /** Age at which a connection is replaced, in milliseconds. Default: 5 minutes. */
  maxConnectionAgeMs?: number;
  /** Resolver of host names. Default: `createLookup()`. */
  lookup?: Lookup;
}

export interface SendRequest {
  url: string;
  /**
   * Headers that `checkHeaders` accepts; each value becomes one header line. The object must not be modified, because
   * its parsed form is cached.
   */
  headers: Record<string, string[]>;
  body: string | Buffer;
  /** Header lines that differ for each request, sent after the headers: name, value, name, value, …. */
  rawHeaders?: readonly string[] | undefined;
  /** Time limit of this send in milliseconds; replaces `totalTimeoutMs`. */
  timeoutMs?: number | undefined;
}

export interface Sender {
  /**
   * Sends one POST request. Never rejects: failures are returned as results. An aborted signal ends the send with the
   * code `internal_error`, or with a cut response if the head of the response has already arrived.
   */
  send(request: SendRequest, signal?: AbortSignal): Promise<SendResult>;
  /**
   * Returns a warning if the host name in `url` does not resolve, or resolves to a blocked address; otherwise
   * undefined.
   */
  resolutionWarning(url: string): Promise<string | undefined>;
  /** Ends running sends as if their signals were aborted, and closes all connections. */
  close(): Promise<void>;
}

type Outcome = { response: RawResponse } | { error: unknown };

/**
 * Number of timeouts that are handled in one tick of the event loop. Requests that start together also time out
 * together, and handling all of them in one tick would block the loop.
 */
const timeoutsPerTick = 4;

/**
 * Creates a sender with its own connection pool.
 * @throws Error if `caFile` cannot be read or contains no certificate
 */
export function createSender(options: SenderOptions): Sender {
  const {
    allow,
    connectTimeoutMs = 5000,
    totalTimeoutMs = 10_000,
    maxResponseBytes = 65_536,
    lookup = createLookup(),
  } = options;
  const timeouts = createTickThrottle(timeoutsPerTick);
  const opener = {
    lookup,
    allow,
    connectTimeoutMs,
    timeouts,
    secureContext: loadCertificateAuthorities(options.caFile),
    sessions: new LRUCache<string, Buffer>({ max: 1000 }),
  };
  const pool = createConnectionPool({
    open: async (destination, cancellation, onClosed) =>
      createConnection(await openSocket(destination, opener, cancellation), destination.origin, onClosed),
    maxIdlePerDestination: options.maxIdlePerDestination ?? 32,
    maxIdle: options.maxIdle ?? 512,
    maxAgeMs: options.maxConnectionAgeMs ?? 300_000,
  });
  const axios = new Axios();
  const targetOf = createTargets();
  const sending = new Set<Cancellation>();
  let isClosed = false;

  /** Sends a request. If a reused connection closes before the request is written, the next connection is tried. */
  async function sendToTarget(
    target: Target,
    request: Pick<SendRequest, 'rawHeaders'> & { body: Buffer },
    cancellation: Cancellation,
  ): Promise<RawResponse> {
    const { rawHeaders, body } = request;
    const headers = rawHeaders === undefined ? target.rawHeaders : [...target.rawHeaders, ...rawHeaders];
    const wireRequest = { path: target.path, headers, body, maxResponseBytes };
    for (;;) {
      const connection = await pool.acquire(target.destination, cancellation);
      let response: RawResponse | undefined;
      try {
        response = await connection.request(wireRequest, cancellation);
      } finally {
        if (response?.isReusable) pool.release(connection);
        else void connection.close();
      }
      if (response) return response;
    }
  }

  /**
   * Sends one request through axios. The adapter sends it over a connection of the pool, which dials checked addresses
   * only. Headers bypass axios, because axios adds a Content-Type and rejects header names such as `__proto__`. The
   * adapter resolves with a failure instead of rejecting: axios formats the stack of every error with which an adapter
   * rejects, and this takes CPU time.
   */
  async function request(
    { url, headers, body, rawHeaders }: SendRequest,
    cancellation: Cancellation,
  ): Promise<RawResponse> {
    const adapter = async (config: InternalAxiosRequestConfig): Promise<AxiosResponse<Outcome>> => {
      const respond = (data: Outcome) => ({
        data,
        status: 'error' in data ? 0 : data.response.statusCode,
        statusText: '',
        headers: new AxiosHeaders(),
        config,
      });
      try {
        const target = targetOf({ url: config.url ?? '', headers });
        return respond({
          response: await sendToTarget(target, { body: toBuffer(config.data), rawHeaders }, cancellation),
        });
      } catch (error) {
        return respond({ error });
      }
    };
    // The method is given for each request and not as a default of the instance, because with defaults axios takes
    // twice as long to merge the options of a request.
    const { data } = await axios.request<Outcome>({ method: 'post', url, data: body, adapter });
    if ('error' in data) throw data.error;
    return data.response;
  }

  return {
    async send(sendRequest, signal) {
      const startedAtMs = performance.now();
      const cancellation = createCancellation();
      const onTimeout = () => timeouts.schedule(() => cancellation.cancel(timeoutFailure()));
      const timer = setTimeout(onTimeout, sendRequest.timeoutMs ?? totalTimeoutMs);
      const onAbort = () => cancellation.cancel(stoppedFailure());
      signal?.addEventListener('abort', onAbort);
      sending.add(cancellation);
      try {
        if (isClosed || signal?.aborted) throw stoppedFailure();
        const response = await request(sendRequest, cancellation);
        return toHttpResponse(response, { maxResponseBytes, startedAtMs });
      } catch (error) {
        return toSendError(error, startedAtMs);
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        sending.delete(cancellation);
      }
    },
    resolutionWarning: (url) => resolutionWarning(url, { lookup, allow }),
    async close() {
      isClosed = true;
      for (const cancellation of sending) cancellation.cancel(stoppedFailure());
      await pool.close();
    },
  };
}

function toBuffer(body: string | Buffer): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : body;
}

function stoppedFailure(): SendFailure {
  return new SendFailure('internal_error', 'The sending was stopped.');
}

function timeoutFailure(): SendFailure {
  return new SendFailure('timeout', 'The destination did not respond in time.');
}
