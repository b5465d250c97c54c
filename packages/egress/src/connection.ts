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
  /** Name, value, name, value, …: one header line for each pair, in this order. */
  headers: string[];
  body: Buffer;
  /** Bytes of the response's body that are read. */
  maxResponseBytes: number;
}

/** One kept-alive connection, for one request at a time. */
export interface Connection {
  readonly origin: string;
  readonly openedAt: number;
  readonly isOpen: boolean;
  /**
   * @returns undefined if the idle connection closed before the request was written; another connection can send it
   * @throws SendFailure if no complete head of a response arrived
   */
  exchange(request: WireRequest, cancellation: Cancellation): Promise<RawResponse | undefined>;
  /** Resolves when the socket is closed. */
  close(): Promise<void>;
}

/** Limit of undici's parser for header names and values, in bytes. */
const maxHeaderSize = 32_768;

/**
 * An idle connection is closed before the destination closes it: if a request and the close cross, nobody can tell if the
 * request was read. A `Keep-Alive: timeout` header extends the idle time to one second before its limit, 30 s at most.
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
  const openedAt = Date.now();
  let endExchange: ((failure: SendFailure) => void) | undefined;
  const guarded = createGuardedSocket(open, (failure) =>
    endExchange ? endExchange(failure) : void connection.close(),
  );
  let isOpen = true;
  let isSocketUsed = false;
  let exchanges = 0;
  const closedEarly = Object.assign(new Error('closed before the request was written'), {
    code: 'ECONNRESET',
  });
  const client = new Client(origin, {
    pipelining: 1,
    maxHeaderSize,
    // The sender's timer limits the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleTimeoutMs,
    keepAliveMaxTimeout: hintedIdleTimeoutMs,
    keepAliveTimeoutThreshold: idleMarginMs,
    // A client reconnects by itself; the error keeps it to its first socket.
    connect: (_options, callback) => {
      const isFirst = !isSocketUsed;
      isSocketUsed = true;
      // undici accepts the socket only after this call has returned. A Duplex is enough: its ProxyAgent passes one as
      // well.
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
    openedAt,
    get isOpen() {
      return isOpen && !socket.destroyed;
    },
    async exchange({ path, headers, body, maxResponseBytes }, cancellation) {
      const reader = new ResponseReader({
        maxBytes: maxResponseBytes,
        onWriting: guarded.expectResponse,
        onProgress: guarded.noteProgress,
      });
      exchanges += 1;
      if (exchanges > 1) await readUnrequestedBytes();
      guarded.startExchange(maxResponseBytes);
      client.dispatch({ path, method: 'POST', headers, body }, reader);
      endExchange = (failure) => {
        if (!reader.abort(failure)) void client.destroy(failure);
      };
      cancellation.listen(endExchange);
      try {
        return await reader.response;
      } catch (failure) {
        if (exchanges > 1 && failure instanceof SendFailure && failure.cause === closedEarly)
          return undefined;
        throw failure;
      } finally {
        cancellation.listen(undefined);
        endExchange = undefined;
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
 * Lets the event loop read once more, so that bytes sent while the connection was idle close it and do not become the
 * response to the next request. undici waits for one tick as well, but that tick may have no poll phase left.
 */
function readUnrequestedBytes(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
