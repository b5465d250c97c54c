import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface SlowClientLimits {
  /** Inactivity timeout of a connection that has a request or response in progress, in milliseconds. */
  idleMs: number;
  /** Maximum number of response bytes, over all responses, that clients have not received yet. */
  maxUnsentBytes: number;
  maxConnections: number;
  /** Maximum number of requests of one connection that are in progress. */
  maxPipelined: number;
}

const defaults: SlowClientLimits = {
  idleMs: 30_000,
  // 64 MiB: enough for sixteen responses of 4 MiB, and an eighth of the memory of a container with 512 MiB.
  maxUnsentBytes: 67_108_864,
  // A reverse proxy needs a few hundred connections. Even 4,000 idle connections take only about 100 MiB of memory.
  maxConnections: 4_000,
  // Browsers, load balancers and common HTTP clients do not pipeline at all.
  maxPipelined: 16,
};

const checkEveryMs = 250;

interface Connection {
  socket: Socket;
  pendingRequests: Set<{ request: IncomingMessage; response: ServerResponse }>;
  /**
   * Time of the check that first found unsent bytes, in milliseconds on a monotonic clock. A check that finds no unsent
   * bytes sets it to undefined.
   */
  unsentSinceMs: number | undefined;
}

/**
 * Limits the memory and the connections that slow clients use. If all unsent response bytes together exceed their
 * limit, the clients that have had unsent bytes for the longest time are disconnected. If a new connection is dropped
 * because `maxConnections` connections are open, up to 5 % of this number are closed: the least recently used of the
 * connections that are idle or wait for the rest of a request.
 *
 * A connection with more than `maxPipelined` requests in progress is closed. The request that exceeds the limit is
 * still emitted: the app must not start a request whose socket is destroyed.
 */
export function guardAgainstSlowClients(server: Server, limits: Partial<SlowClientLimits> = {}): void {
  const { idleMs, maxUnsentBytes, maxConnections, maxPipelined } = { ...defaults, ...limits };
  server.timeout = idleMs;
  server.maxConnections = maxConnections;
  const connections = trackConnections(server, maxPipelined);

  server.on('drop', () => {
    const waiting = [...connections.values()].filter(isWaitingForClient);
    for (const { socket } of waiting.slice(0, Math.ceil(maxConnections / 20))) socket.destroy();
  });
  let timer: NodeJS.Timeout | undefined;
  const stopChecks = () => {
    clearInterval(timer);
    timer = undefined;
  };
  // Checks run only while responses are in progress, so that they do not wake an idle server.
  server.prependListener('request', () => {
    timer ??= setInterval(() => {
      const readers = findSlowReaders(connections.values());
      for (const { socket } of selectSlowest(readers, maxUnsentBytes)) socket.destroy();
      if (![...connections.values()].some(({ pendingRequests }) => pendingRequests.size > 0)) stopChecks();
    }, checkEveryMs).unref();
  });
  server.once('close', stopChecks);
}

/**
 * Returns the open connections, least recently used first: each start and each end of a request moves its connection to
 * the end of the map. The request that exceeds `maxPipelined` closes its connection.
 */
function trackConnections(server: Server, maxPipelined: number): Map<Socket, Connection> {
  const connections = new Map<Socket, Connection>();
  const moveToEnd = (connection: Connection) => {
    connections.delete(connection.socket);
    if (!connection.socket.destroyed) connections.set(connection.socket, connection);
  };
  server.on('connection', (socket) => {
    const pendingRequests: Connection['pendingRequests'] = new Set();
    connections.set(socket, { socket, pendingRequests, unsentSinceMs: undefined });
    socket.once('close', () => {
      connections.delete(socket);
      // Node emits `close` only for the response that has the socket, and not for those that wait behind it. Without
      // this event, their requests would not be logged, and their handlers would continue for a client that has left.
      for (const { response } of pendingRequests) if (response.socket === null) response.emit('close');
    });
  });
  server.prependListener('request', (request, response) => {
    const connection = connections.get(request.socket);
    if (connection === undefined) return;
    if (connection.pendingRequests.size >= maxPipelined) stopReading(connection.socket);
    if (connection.socket.destroyed) return;
    const pending = { request, response };
    connection.pendingRequests.add(pending);
    moveToEnd(connection);
    response.once('close', () => {
      connection.pendingRequests.delete(pending);
      moveToEnd(connection);
    });
  });
  return connections;
}

/**
 * Closes a connection, and stops the parser in the middle of a chunk. A chunk of 64 KiB can contain 3,600 requests.
 * Node would create the objects of all of them and keep these until the next tick of the event loop, 3 KB for each
 * request: 400 connections with one chunk each exceed a heap of 256 MB. No documented option prevents this. The parser
 * stops with an error if its callback returns a negative number.
 */
function stopReading(socket: Socket & { parser?: { onIncoming: () => number } | null }): void {
  socket.destroy();
  if (socket.parser) socket.parser.onIncoming = () => -1;
}

/** Returns true for an idle connection, and for one whose client has not sent its whole request. */
function isWaitingForClient({ pendingRequests }: Connection): boolean {
  return [...pendingRequests].every(({ request }) => !request.complete);
}

/** A connection with unsent response bytes. */
export interface SlowReader {
  unsentBytes: number;
  /** Time for which each check has found unsent bytes, in milliseconds. */
  unsentMs: number;
}

function findSlowReaders(connections: Iterable<Connection>): (SlowReader & { socket: Socket })[] {
  const nowMs = performance.now();
  const readers: (SlowReader & { socket: Socket })[] = [];
  for (const connection of connections) {
    const unsentBytes = countUnsentBytes(connection);
    if (unsentBytes === 0) {
      connection.unsentSinceMs = undefined;
      continue;
    }
    connection.unsentSinceMs ??= nowMs;
    const unsentMs = nowMs - connection.unsentSinceMs;
    readers.push({ socket: connection.socket, unsentBytes, unsentMs });
  }
  return readers;
}

/**
 * Counts the unsent bytes of all pipelined responses. Node keeps a response in memory until all earlier ones are sent.
 */
function countUnsentBytes({ pendingRequests }: Connection): number {
  let bytes = 0;
  for (const { response } of pendingRequests) bytes += response.writableLength;
  return bytes;
}

/**
 * Returns the readers to disconnect, so that the others have at most `maxUnsentBytes` in total. Readers that have had
 * unsent bytes for the longest time are returned first.
 */
export function selectSlowest<R extends SlowReader>(readers: readonly R[], maxUnsentBytes: number): R[] {
  let unsentBytes = readers.reduce((sum, reader) => sum + reader.unsentBytes, 0);
  const longestFirst = [...readers].sort((a, b) => b.unsentMs - a.unsentMs);
  return longestFirst.filter((reader) => {
    if (unsentBytes <= maxUnsentBytes) return false;
    unsentBytes -= reader.unsentBytes;
    return true;
  });
}
