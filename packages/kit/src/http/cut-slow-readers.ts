import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A connection that has not taken all of its answers yet. */
export interface Reader {
  heldBytes: number;
  /** For how long something has been held without a break. */
  heldMs: number;
}

export interface SlowReaderLimits {
  /** For so long a connection may stand still while its client or we have something to say. */
  idleMs: number;
  /** Of all connections together. */
  maxHeldBytes: number;
}

const defaults: SlowReaderLimits = {
  idleMs: 30_000,
  // Sixteen of the largest answers, in a container of 512 MiB.
  maxHeldBytes: 67_108_864,
};
const everyMs = 250;

/**
 * An answer is held until its client has read it, and nothing makes a client read. Cuts those that stand still, and,
 * while too much is held in all, those that have held it longest. A stream of events goes on as long as it says
 * something now and then.
 */
export function cutSlowReaders(server: Server, limits: Partial<SlowReaderLimits> = {}): void {
  const { idleMs, maxHeldBytes } = { ...defaults, ...limits };
  // Node looks whether the system has taken anything of a large write meanwhile.
  server.timeout = idleMs;

  const open = new Map<Socket, Set<ServerResponse>>();
  server.on('connection', (socket) => {
    open.set(socket, new Set());
    socket.once('close', () => open.delete(socket));
  });
  server.prependListener('request', ({ socket }, response) => {
    open.get(socket)?.add(response);
    response.once('close', () => open.get(socket)?.delete(response));
  });

  const heldSinceMs = new WeakMap<Socket, number>();
  const look = () => {
    const nowMs = performance.now();
    const readers: (Reader & { socket: Socket })[] = [];
    for (const [socket, responses] of open) {
      const heldBytes = bytesOf(responses);
      if (heldBytes === 0) {
        heldSinceMs.delete(socket);
        continue;
      }
      const sinceMs = heldSinceMs.get(socket) ?? nowMs;
      heldSinceMs.set(socket, sinceMs);
      readers.push({ socket, heldBytes, heldMs: nowMs - sinceMs });
    }
    for (const { socket } of findLongest(readers, maxHeldBytes)) socket.destroy();
  };
  const timer = setInterval(look, everyMs).unref();
  server.once('close', () => clearInterval(timer));
}

/** Of several on one connection, which come from pipelining, all but one wait for their turn. */
function bytesOf(responses: Iterable<ServerResponse>): number {
  let bytes = 0;
  for (const { writableLength } of responses) bytes += writableLength;
  return bytes;
}

/** Those whose end leaves no more than `maxHeldBytes`. */
export function findLongest<R extends Reader>(readers: readonly R[], maxHeldBytes: number): R[] {
  let heldBytes = readers.reduce((sum, reader) => sum + reader.heldBytes, 0);
  const longestFirst = [...readers].sort((a, b) => b.heldMs - a.heldMs);
  return longestFirst.filter((reader) => {
    if (heldBytes <= maxHeldBytes) return false;
    heldBytes -= reader.heldBytes;
    return true;
  });
}
