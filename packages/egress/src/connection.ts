import type { Socket } from 'node:net';
import { Client } from 'undici';
import type { Cancellation } from './cancellation.js';
import { createGuardedSocket } from './guarded-socket.js';
import type { OpenSocket } from './open-socket.js';
import { type RawResponse, ResponseReader } from './response-reader.js';
import { SendFailure } from './send-failure.js';

interface WireRequest {
  /** Path and query, percent-encoded. */
  path: string;
  /** Header lines as a flat list (name, value, name, value, …), sent in this order. */
  headers: string[];
  body: Buffer;
  /** Maximum number of bytes of the response body that are kept. */
  maxResponseBytes: number;
}

/** A keep-alive connection for one request at a time. */
export interface Connection {
  readonly origin: string;
  /** Monotonic time (`performance.now`) at which the connection was opened. */
  readonly openedAtMs: number;
  readonly isOpen: boolean;
  /**
   * Sends a request and reads its response.
   * @returns undefined if the idle connection closed before the request was written; another connection can then send
   *   the request
   * @throws SendFailure if the request failed before the head of the response was complete
   */
  request(wireRequest: WireRequest, cancellation: Cancellation): Promise<RawResponse | undefined>;
  /** Resolves when the socket is closed. */
  close(): Promise<void>;
}

/** Maximum total size of the header names and values that undici's parser accepts, in bytes. */
const maxHeaderSize = 32_768;

/**
 * Idle time after which a connection is closed, in milliseconds. It has to be shorter than the destination's own limit:
 * if the destination closes the connection while a request is being sent, the request may or may not have been read.
 * After a response with `Keep-Alive: timeout=N`, the idle time is N seconds minus one second, and at most 30 s.
 */
const idleTimeoutMs = 4000;
const hintedIdleTimeoutMs = 30_000;
const idleMarginMs = 1000;

export function createConnection(
  open: OpenSocket,
  origin: string,
  onClosed: (connection: Connection) => void,
): Connection {
  const { socket } = open;
  const openedAtMs = performance.now();
  let abortRequest: ((failure: SendFailure) => void) | undefined;
  const guarded = createGuardedSocket(open, (failure) =>
    abortRequest ? abortRequest(failure) : void connection.close(),
  );
  let isOpen = true;
  let isSocketUsed = false;
  let requests = 0;
  const closedEarly = Object.assign(new Error('closed before the request was written'), {
    code: 'ECONNRESET',
  });
  const client = new Client(origin, {
    pipelining: 1,
    maxHeaderSize,
    // undici's own timeouts are off, because the sender's timer limits the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleTimeoutMs,
    keepAliveMaxTimeout: hintedIdleTimeoutMs,
    keepAliveTimeoutThreshold: idleMarginMs,
    // undici's client opens a new connection by itself. Each call of `connect` except the first one therefore fails, so
    // that the client uses only the given socket.
    connect: (_options, callback) => {
      const isFirst = !isSocketUsed;
      isSocketUsed = true;
      // undici accepts the socket only after this call has returned, so the callback runs in a microtask. The cast is
      // safe, because undici works with any Duplex instead of a socket, as its own ProxyAgent shows.
      queueMicrotask(() =>
        isFirst ? callback(null, guarded.stream as Socket) : callback(closedEarly, null),
      );
    },
  });
  const settleClosed = () => {
    if (!isOpen) return;
    isOpen = false;
    guarded.stop();
    onClosed(connection);
  };

  const connection: Connection = {
    origin,
    openedAtMs,
    get isOpen() {
      return isOpen && !socket.destroyed;
    },
    async request({ path, headers, body, maxResponseBytes }, cancellation) {
      const reader = new ResponseReader({
        maxBytes: maxResponseBytes,
        onWriting: guarded.expectResponse,
        onProgress: guarded.noteProgress,
      });
      requests += 1;
      if (requests > 1) await readUnrequestedBytes();
      guarded.startRequest(maxResponseBytes);
      client.dispatch({ path, method: 'POST', headers, body }, reader);
      abortRequest = (failure) => {
        if (!reader.abort(failure)) void client.destroy(failure);
      };
      cancellation.listen(abortRequest);
      try {
        return await reader.response;
      } catch (failure) {
        if (requests > 1 && failure instanceof SendFailure && failure.cause === closedEarly) return undefined;
        throw failure;
      } finally {
        cancellation.listen(undefined);
        abortRequest = undefined;
      }
    },
    async close() {
      settleClosed();
      socket.destroy();
      await client.destroy();
    },
  };
  socket.once('close', settleClosed);
  return connection;
}

/**
 * Waits for one poll phase of the event loop. Bytes that arrived while the connection was idle then close the
 * connection, instead of being read as the response to the next request. undici also waits for one tick, but that tick
 * may contain no poll phase.
 */
function readUnrequestedBytes(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
