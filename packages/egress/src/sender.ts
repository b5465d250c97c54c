import { createTickThrottle } from '@tocsin/kit';
import { Axios, AxiosHeaders, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import { LRUCache } from 'lru-cache';
import type { Cidr } from './address-rules.js';
import { type Cancellation, createAbortGroups, createCancellation } from './cancellation.js';
import { loadCertificateAuthorities } from './certificate-authorities.js';
import { createConnection } from './connection.js';
import { createConnectionPool } from './connection-pool.js';
import { createLookup, type Lookup } from './lookup.js';
import { openSocket } from './open-socket.js';
import { resolveWarning } from './resolve-warning.js';
import type { RawResponse } from './response-reader.js';
import { SendFailure } from './send-failure.js';
import type { SendResult } from './send-result.js';
import { createTargets } from './target.js';
import { toResponse, toSendError } from './to-result.js';

export interface SenderOptions {
  /** Ranges that are opened although they are special-purpose (`parseCidrs`). */
  allow: readonly Cidr[];
  /** PEM file of private certificate authorities, trusted beside the public ones. */
  caFile?: string;
  /** For name, TCP and TLS together. */
  connectTimeoutMs?: number;
  /** For the whole exchange, the response's body included. */
  totalTimeoutMs?: number;
  /** How much of a response's body is kept. */
  maxResponseBytes?: number;
  /** Kept-alive connections that wait for a next request, to one destination and in all. */
  maxIdlePerDestination?: number;
  maxIdle?: number;
  /** How long a connection is used before it is made anew. */
  maxConnectionAgeMs?: number;
  /** Default: `createLookup()`. */
  lookup?: Lookup;
}

export interface SendRequest {
  url: string;
  /**
   * Checked with `checkHeaders`; each value is a line on the wire. Not to be changed once sent: what is made of it is
   * kept with the object.
   */
  headers: Record<string, string[]>;
  body: string | Buffer;
}

export interface Sender {
  /** POSTs once. Never rejects: what fails, fails as a result. An aborted signal ends it as `internal_error`. */
  send(request: SendRequest, signal?: AbortSignal): Promise<SendResult>;
  /** A sentence where a webhook of this URL could not be delivered to now, because of what its name resolves to. */
  resolveWarning(url: string): Promise<string | undefined>;
  /** Ends what is being sent (as `internal_error`) and closes every connection. */
  close(): Promise<void>;
}

/** Requests whose time is up, ended in each turn of the event loop: those that were begun together run out together. */
const timeoutsPerTurn = 4;

/** @throws Error where `caFile` cannot be read or holds no certificate */
export function createSender(options: SenderOptions): Sender {
  const {
    allow,
    connectTimeoutMs = 5000,
    totalTimeoutMs = 10_000,
    maxResponseBytes = 65_536,
    lookup = createLookup(),
  } = options;
  const timeouts = createTickThrottle(timeoutsPerTurn);
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
  const groupOf = createAbortGroups(stopped);
  let isClosed = false;

  async function exchange(request: SendRequest, cancellation: Cancellation): Promise<RawResponse> {
    const { destination, path, lines } = targetOf(request);
    const wireRequest = {
      path,
      headers: lines,
      body: typeof request.body === 'string' ? Buffer.from(request.body) : request.body,
      maxResponseBytes,
    };
    for (;;) {
      const connection = await pool.acquire(destination, cancellation);
      let response: RawResponse | undefined;
      try {
        response = await connection.exchange(wireRequest, cancellation);
      } finally {
        if (response?.isReusable) pool.release(connection);
        else void connection.close();
      }
      if (response) return response;
    }
  }

  /** axios is the owner's HTTP client; the adapter takes only what is on the wire exactly as configured. */
  async function request(sendRequest: SendRequest, cancellation: Cancellation): Promise<RawResponse> {
    const adapter = async (config: InternalAxiosRequestConfig): Promise<AxiosResponse<RawResponse>> => {
      const data = await exchange(sendRequest, cancellation);
      // Headers of axios's own kind it takes as they are; a plain object it would go through.
      return { data, status: data.statusCode, statusText: '', headers: new AxiosHeaders(), config };
    };
    const response = await axios.request<RawResponse>({ method: 'post', url: sendRequest.url, adapter });
    return response.data;
  }

  return {
    async send(sendRequest, signal) {
      const startedAt = performance.now();
      const cancellation = createCancellation();
      const endInTurn = () => timeouts.schedule(() => cancellation.cancel(timeout()));
      const timer = setTimeout(endInTurn, totalTimeoutMs);
      const group = signal ? groupOf(signal) : undefined;
      group?.add(cancellation);
      sending.add(cancellation);
      try {
        if (isClosed || signal?.aborted) throw stopped();
        const response = await request(sendRequest, cancellation);
        return toResponse(response, { maxResponseBytes, startedAt });
      } catch (error) {
        return toSendError(error, startedAt);
      } finally {
        clearTimeout(timer);
        group?.delete(cancellation);
        sending.delete(cancellation);
      }
    },
    resolveWarning: (url) => resolveWarning(url, { lookup, allow }),
    async close() {
      isClosed = true;
      for (const cancellation of sending) cancellation.cancel(stopped());
      await pool.close();
    },
  };
}

function stopped(): SendFailure {
  return new SendFailure('internal_error', 'The sending was stopped.');
}

function timeout(): SendFailure {
  return new SendFailure('timeout', 'The destination did not respond in time.');
}
