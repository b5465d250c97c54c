import type { Cancellation } from './cancellation.js';
import type { Connection } from './connection.js';
import type { Destination } from './destination.js';

export interface ConnectionPoolOptions {
  /** Opens a connection, and calls `onClosed` once when the connection has closed. */
  open(
    destination: Destination,
    cancellation: Cancellation,
    onClosed: (connection: Connection) => void,
  ): Promise<Connection>;
  maxIdlePerDestination: number;
  maxIdle: number;
  /**
   * Maximum age of a connection in milliseconds. An older connection is replaced, so that the name of the destination
   * is resolved again and its new addresses are checked.
   */
  maxAgeMs: number;
}

export interface ConnectionPool {
  /** Returns an idle connection for one request, or opens a new one. Does not wait for a connection in use. */
  acquire(destination: Destination, cancellation: Cancellation): Promise<Connection>;
  /**
   * Returns a connection to the pool after a complete response. The pool closes the connection if it is too old, or if
   * too many connections to its destination are idle. If too many connections are idle in total, the pool closes the
   * one that has been idle longest. After an incomplete response, the caller must close the connection instead.
   */
  release(connection: Connection): void;
  /** Closes idle connections at once, and connections in use when they are released. */
  close(): Promise<void>;
}

export function createConnectionPool(options: ConnectionPoolOptions): ConnectionPool {
  const idleByOrigin = new Map<string, Connection[]>();
  /** All idle connections, the one that has been idle longest first. */
  const idle = new Set<Connection>();
  let isClosed = false;

  function forget(connection: Connection): void {
    if (!idle.delete(connection)) return;
    const siblings = idleByOrigin.get(connection.origin) ?? [];
    siblings.splice(siblings.indexOf(connection), 1);
    if (siblings.length === 0) idleByOrigin.delete(connection.origin);
  }

  function discard(connection: Connection): void {
    forget(connection);
    void connection.close();
  }

  function acquireIdle(origin: string): Connection | undefined {
    // The most recently used connection is chosen, so that under low load the other connections reach their idle
    // timeout.
    for (;;) {
      const connection = idleByOrigin.get(origin)?.at(-1);
      if (!connection) return undefined;
      if (isReusable(connection, options.maxAgeMs)) {
        forget(connection);
        return connection;
      }
      discard(connection);
    }
  }

  return {
    async acquire(destination, cancellation) {
      return acquireIdle(destination.origin) ?? options.open(destination, cancellation, forget);
    },
    release(connection) {
      if (isClosed || !isReusable(connection, options.maxAgeMs)) return discard(connection);
      const siblings = idleByOrigin.get(connection.origin);
      if (siblings && siblings.length >= options.maxIdlePerDestination) return discard(connection);
      if (siblings) siblings.push(connection);
      else idleByOrigin.set(connection.origin, [connection]);
      idle.add(connection);
      const oldest = idle.size > options.maxIdle ? idle.values().next().value : undefined;
      if (oldest) discard(oldest);
    },
    async close() {
      isClosed = true;
      const closing = [...idle];
      idle.clear();
      idleByOrigin.clear();
      await Promise.all(closing.map((connection) => connection.close()));
    },
  };
}

function isReusable(connection: Connection, maxAgeMs: number): boolean {
  return connection.isOpen && performance.now() - connection.openedAtMs < maxAgeMs;
}
