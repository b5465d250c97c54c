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
  /** Name, value, name, value: one line on the wire for each pair, in this order. */
  headers: string[];
  body: Buffer;
  /** How much of the response's body is read. */
  maxResponseBytes: number;
}

/** One kept-alive connection, for one request at a time. */
export interface Connection {
  readonly origin: string;
  readonly openedAt: number;
  readonly isOpen: boolean;
  /**
   * Undefined where a connection that was idle turned out to be closed before anything was written: it is safe to
   * send the request over another.
   * @throws SendFailure where no response's head came
   */
  exchange(request: WireRequest, cancellation: Cancellation): Promise<RawResponse | undefined>;
  /** Resolves when the socket is closed. */
  close(): Promise<void>;
}

const maxHeaderSize = 32_768;

/**
 * An idle connection is given up before the destination gives it up, since a request that meets the closing is lost
 * with no telling whether it was read. A destination that tells its limit (`Keep-Alive: timeout`) is used up to a
 * second before it, 30 seconds at most.
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
  let isHandedOver = false;
  let exchanges = 0;
  const gone = Object.assign(new Error('closed before the request was written'), { code: 'ECONNRESET' });
  const client = new Client(origin, {
    pipelining: 1,
    maxHeaderSize,
    // The whole exchange has one timer, the sender's.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleTimeoutMs,
    keepAliveMaxTimeout: hintedIdleTimeoutMs,
    keepAliveTimeoutThreshold: idleMarginMs,
    // A client reconnects by itself: this one has its one socket and no second.
    connect: (_options, callback) => {
      const isFirst = !isHandedOver;
      isHandedOver = true;
      // undici takes a socket only outside of the call that asks for it.
      queueMicrotask(() => (isFirst ? callback(null, guarded.stream as Socket) : callback(gone, null)));
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
      if (exchanges > 1) await unaskedBytes();
      guarded.startExchange(maxResponseBytes);
      client.dispatch({ path, method: 'POST', headers, body }, reader);
      endExchange = (failure) => {
        if (!reader.abort(failure)) void client.destroy(failure);
      };
      cancellation.listen(endExchange);
      try {
        return await reader.response;
      } catch (failure) {
        if (exchanges > 1 && failure instanceof SendFailure && failure.cause === gone) return undefined;
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
 * What an idle connection was sent is to end it and not to count as the response to the next request. undici waits for one turn of the
 * event loop, within which nothing is read where the turn's reading is over; with this one before it there is a reading.
 */
function unaskedBytes(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
