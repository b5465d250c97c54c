import { createCircuitBreaker, withTimeout } from '@tocsin/kit';
import pg from 'pg';
import { classifyDatabaseError, isConnectionLost, isReadOnly, NoConnectionError } from './errors.js';

/** A connection in use. `query` has the two signatures of `pg.Client`; knex uses the one with a callback. */
interface Connection {
  query(query: pg.QueryConfig): Promise<pg.QueryResult>;
  query(query: pg.QueryConfig, callback: (error: Error | null, result?: pg.QueryResult) => void): void;
  /** Returns the connection to the pool, or closes it if it must not be used again. */
  release(): void;
}

export interface ConnectionPool {
  /** @throws Error of the kind `unavailable`, at once while the circuit breaker is open. */
  acquire(): Promise<Connection>;
  counts(): ConnectionCounts;
  close(): Promise<void>;
}

export interface ConnectionCounts {
  /** Size of the pool. */
  max: number;
  /** Open connections, idle ones included. */
  open: number;
  idle: number;
  /** Callers that wait for a connection. */
  waiting: number;
}

/** Settings of the server, by name. */
export type SessionSettings = Record<string, string>;

export interface ConnectionPoolOptions {
  client: pg.ClientConfig;
  /**
   * Made by a statement on each new connection, and not as startup parameters, which PgBouncer refuses with its default
   * settings.
   */
  settings: SessionSettings;
  max: number;
  acquireTimeoutMs: number;
  /** Time without any response after which the circuit breaker opens, in milliseconds; `Infinity` for never. */
  openAfterMs: number;
}

/** Time limit of one attempt to connect. */
const connectTimeoutMs = 5_000;
const idleTimeoutMs = 60_000;
/** Timeout of a probe; a responsive server runs `select 1` in this time, also while long statements run. */
const probeTimeoutMs = 250;

/** A `pg.Pool` that refuses at once while the server is unresponsive and closes connections that cannot be reused. */
export function createConnectionPool(options: ConnectionPoolOptions): ConnectionPool {
  const { client: config, settings, max, acquireTimeoutMs, openAfterMs } = options;
  const breaker = createCircuitBreaker({ openAfterMs });
  const pool = new pg.Pool({
    ...config,
    max,
    idleTimeoutMillis: idleTimeoutMs,
    connectionTimeoutMillis: Math.max(connectTimeoutMs, acquireTimeoutMs),
    // The pool waits for it before it hands the connection out.
    onConnect: (client) => makeSettings(client, settings),
  });
  // These events need no handling: a statement in progress rejects with the error, and the pool replaces an idle
  // connection that is lost.
  pool.on('error', ignore);
  pool.on('connect', (client) => {
    client.on('error', ignore);
    breaker.responded();
  });

  const connect = async (): Promise<Connection> => {
    let connecting: Promise<pg.PoolClient> | undefined;
    try {
      // Throws when a certificate file of the URL is missing.
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
      if (state === 'half-open') probing = succeeds(withTimeout(probe(), { timeoutMs: probeTimeoutMs }));
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
    // A server that accepts connections and never responds must not occupy the pool.
    query_timeout: connectTimeoutMs,
  } as pg.QueryConfig);
}

function toConnection(client: pg.PoolClient, responded: () => void): Connection {
  let isReusable = true;
  /** After this error the server gets no further statement: a rollback would wait for a frozen server as well. */
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
      // A session keeps its outdated plans, and stays read-only after the database has become writable.
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
