import { createCircuitBreaker, withTimeout } from '@tocsin/kit';
import pg from 'pg';
import { classifyDatabaseError, isConnectionLost, isReadOnly, NoConnectionError } from './errors.js';

/** An acquired connection. `query` has the two signatures of `pg.Client`; knex uses the one with a callback. */
interface Connection {
  query(query: pg.QueryConfig): Promise<pg.QueryResult>;
  query(query: pg.QueryConfig, callback: (error: Error | null, result?: pg.QueryResult) => void): void;
  /** Returns the connection to the pool, or closes it if it cannot be used again. */
  release(): void;
}

export interface ConnectionPool {
  /**
   * Waits for a free connection, or opens one.
   * @throws NoConnectionError if no connection can be opened or becomes free within `acquireTimeoutMs`, or if the
   * circuit breaker is open
   */
  acquire(): Promise<Connection>;
  counts(): ConnectionCounts;
  close(): Promise<void>;
}

export interface ConnectionCounts {
  /** Maximum number of connections. */
  max: number;
  /** Number of open connections, including idle ones. */
  open: number;
  idle: number;
  /** Number of callers that wait for a connection. */
  waiting: number;
}

/** Names and values of PostgreSQL settings for a session. */
export type SessionSettings = Record<string, string>;

export interface ConnectionPoolOptions {
  client: pg.ClientConfig;
  /**
   * Settings of every new connection. They are set by a statement, because PgBouncer in its default configuration
   * rejects them as startup parameters.
   */
  settings: SessionSettings;
  max: number;
  acquireTimeoutMs: number;
  /** The circuit breaker opens if a request gets no response for this time, in milliseconds; `Infinity` for never. */
  openAfterMs: number;
}

/** Time limit of one attempt to connect, in milliseconds. */
const connectTimeoutMs = 5_000;

/**
 * Creates a `pg.Pool` with a circuit breaker: `acquire` fails at once while the server is unresponsive. A connection
 * that cannot be used again is closed when it is released.
 */
export function createConnectionPool(options: ConnectionPoolOptions): ConnectionPool {
  const { client: config, settings, max, acquireTimeoutMs, openAfterMs } = options;
  const breaker = createCircuitBreaker({ openAfterMs });
  const pool = new pg.Pool({
    ...config,
    max,
    idleTimeoutMillis: 60_000,
    // A connection is replaced after one day. The server keeps all prepared statements of a connection until it is
    // closed, and a worker prepares new statements every day, because their texts name the partitions of one day.
    maxLifetimeSeconds: 86_400,
    connectionTimeoutMillis: Math.max(connectTimeoutMs, acquireTimeoutMs),
    // The pool awaits `onConnect` before it gives a new connection to a caller.
    onConnect: (client) => makeSettings(client, settings),
  });
  // These listeners ignore the errors of connections. Without them the process would exit. A statement in progress
  // rejects with the same error, and the pool replaces a lost idle connection.
  pool.on('error', ignore);
  pool.on('connect', (client) => {
    client.on('error', ignore);
    breaker.responded();
  });

  const connect = async (): Promise<Connection> => {
    let connecting: Promise<pg.PoolClient> | undefined;
    try {
      // `connect` throws if a certificate file named in the URL is missing.
      connecting = pool.connect();
      return toConnection(await withTimeout(connecting, { timeoutMs: acquireTimeoutMs }), breaker.responded);
    } catch (cause) {
      connecting?.then((client) => client.release(), ignore);
      throw new NoConnectionError(cause);
    }
  };
  const probe = async (): Promise<void> => {
    const connection = await connect();
    await connection.query({ text: 'select 1' }).finally(connection.release);
  };
  let probing = Promise.resolve(true);
  return {
    async acquire() {
      const state = breaker.admit();
      // A responsive server runs `select 1` within 250 ms even while it runs long statements.
      if (state === 'half-open') probing = succeeds(withTimeout(probe(), { timeoutMs: 250 }));
      if (state !== 'closed' && !(await probing))
        throw new NoConnectionError(new Error('it is unresponsive'));
      return connect();
    },
    counts: () => ({ max, open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
}

async function makeSettings(client: pg.ClientBase, settings: SessionSettings): Promise<void> {
  await client.query({
    text: 'select set_config(name, value, false) from unnest($1::text[], $2::text[]) as s(name, value)',
    values: [Object.keys(settings), Object.values(settings)],
    // This is the first query of a connection. If the server has accepted the connection but does not respond, the
    // query fails after this time. The pool then closes the connection and can open another one instead.
    query_timeout: connectTimeoutMs,
  } as pg.QueryConfig);
}

function toConnection(client: pg.PoolClient, responded: () => void): Connection {
  let isReusable = true;
  /**
   * Error that ended the connection. Further statements, such as a rollback, fail with this error at once, because a
   * frozen server would not respond to them either.
   */
  let lost: unknown;
  const run = async (query: pg.QueryConfig): Promise<pg.QueryResult> => {
    if (lost !== undefined) throw lost;
    try {
      const result = await client.query(query);
      responded();
      return result;
    } catch (error) {
      if (error instanceof pg.DatabaseError) responded();
      if (isConnectionLost(error)) lost = error;
      // After one of these three errors, the connection is closed when it is released: it is lost, its session could
      // stay read-only after the database has become writable, or its session would keep the outdated plans.
      if (lost !== undefined || isReadOnly(error) || classifyDatabaseError(error) === 'outdated_plan')
        isReusable = false;
      throw error;
    }
  };
  const query = (
    config: pg.QueryConfig,
    callback?: (error: Error | null, result?: pg.QueryResult) => void,
  ) => {
    const running = run(config);
    if (callback === undefined) return running;
    running.then((result) => callback(null, result), callback);
    return undefined;
  };
  return { query: query as Connection['query'], release: () => client.release(!isReusable) };
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

function ignore(): void {}
