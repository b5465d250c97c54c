import type { Cancellation } from './cancellation.js';
import type { Connection } from './connection.js';
import type { Destination } from './destination.js';

export interface ConnectionPoolOptions {
  /** Makes a connection; `onClosed` is called once when it is closed. */
  open(
    destination: Destination,
    cancellation: Cancellation,
    onClosed: (connection: Connection) => void,
  ): Promise<Connection>;
  maxIdlePerDestination: number;
  maxIdle: number;
  /** After this a connection is not used again, so that a name's new addresses are judged and dialled. */
  maxAgeMs: number;
}

export interface ConnectionPool {
  /** A connection for one exchange: one that is idle, else a new one. Nobody waits for another's connection. */
  acquire(destination: Destination, cancellation: Cancellation): Promise<Connection>;
  /** Takes a connection back after a whole exchange. One that is not released is closed by its user. */
  release(connection: Connection): void;
  /** Closes what is idle, and what is released from here on. */
  close(): Promise<void>;
}

export function createConnectionPool(options: ConnectionPoolOptions): ConnectionPool {
  const idleByOrigin = new Map<string, Connection[]>();
  /** The same connections, the one idle for the longest first. */
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

  function takeIdle(origin: string): Connection | undefined {
    // The one used last, so that under less load the others run into their idle limit.
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
      return takeIdle(destination.origin) ?? options.open(destination, cancellation, forget);
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
  return connection.isOpen && Date.now() - connection.openedAt < maxAgeMs;
}
