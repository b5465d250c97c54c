import knexModule, { type Knex } from 'knex';
import { type ConnectionCounts, createConnectionPool, type SessionSettings } from './connection-pool.js';
import { classifyDatabaseError } from './errors.js';

export interface DatabaseOptions {
  /** Parameters of the URL, such as `?statement_timeout=300`, override the limits below. */
  url: string;
  /** Name of this client in `pg_stat_activity`. */
  applicationName: string;
  /** Maximum number of connections. Default: 10. */
  poolSize?: number;
  /** Time after which the server cancels a statement, in milliseconds. Default: 30,000; 0 for no limit. */
  statementTimeoutMs?: number;
  /** Maximum wait of a statement for a lock, in milliseconds. Default: the statement timeout. */
  lockTimeoutMs?: number;
  /** Maximum wait for a free connection, in milliseconds. Default: 5,000. */
  acquireTimeoutMs?: number;
  /**
   * True: statements with parameters use generic plans with index scans. This suits callers that read rows by their
   * keys. By default the server may plan a named statement again on every call, or keep a plan that it made while a
   * table was empty.
   */
  plansByKey?: boolean;
  /**
   * If a query gets no response for this time, in milliseconds, further queries fail at once until a probe succeeds.
   * Default: no limit.
   */
  circuitOpenAfterMs?: number;
}

/** A pool of connections. `knex` builds queries; `prepared` and `planned` run the statements of hot paths. */
export interface Database {
  knex: Knex;
  /** Runs a named prepared statement. Each connection parses it once. */
  prepared<Row>(statement: PreparedStatement, values: unknown[]): Promise<Row[]>;
  /**
   * Runs a statement without a name. Unless `plansByKey` is set, the server plans the statement for the given values on
   * each call, which suits statements with optional filters.
   */
  planned<Row>(text: string, values: unknown[]): Promise<Row[]>;
  /** Returns the size of the pool, and the numbers of its connections and of waiting callers. */
  connections(): ConnectionCounts;
  /** Waits for statements in progress, then closes all connections. */
  close(): Promise<void>;
}

/** A transaction. `knex.transaction` creates it and commits its statements together. */
export type Transaction = Knex.Transaction;

export interface PreparedStatement {
  name: string;
  text: string;
}

/** Creates a pool and opens no connection until the first query. If the server is unavailable, that query fails. */
export function createDatabase(options: DatabaseOptions): Database {
  const { poolSize = 10, acquireTimeoutMs = 5_000, circuitOpenAfterMs = Number.POSITIVE_INFINITY } = options;
  const pool = createConnectionPool({
    client: clientConfig(options),
    settings: sessionSettings(options),
    max: poolSize,
    acquireTimeoutMs,
    openAfterMs: circuitOpenAfterMs,
  });
  const knex = knexModule({
    client: 'pg',
    // The oldest supported version of PostgreSQL. knex queries the server for its version if this is missing.
    version: '14.0',
    // Callers receive every error. Without these functions, knex would also print the errors.
    log: { debug: ignore, warn: ignore, error: ignore, deprecate: ignore },
    // knex calls only `connect` and `end` of the pool, and reads none of the counts.
    connectionPool: { connect: pool.acquire, end: pool.close, totalCount: 0, idleCount: 0, waitingCount: 0 },
  });
  const run = async <Row>(query: { name?: string; text: string; values: unknown[] }): Promise<Row[]> => {
    const connection = await pool.acquire();
    try {
      return (await connection.query(query)).rows as Row[];
    } finally {
      connection.release();
    }
  };
  return {
    knex,
    async prepared<Row>(statement: PreparedStatement, values: unknown[]) {
      // A query fails on a connection with an outdated plan, and the pool then closes the connection. In the worst
      // case, the query fails on all `poolSize` connections one after the other.
      for (let retries = poolSize; ; retries -= 1) {
        try {
          return await run<Row>({ ...statement, values });
        } catch (error) {
          if (retries === 0 || classifyDatabaseError(error) !== 'outdated_plan') throw error;
        }
      }
    },
    planned: (text, values) => run({ text, values }),
    connections: pool.counts,
    async close() {
      // `pool.close` waits for queries in progress. It must come first: after `knex.destroy`, connections are not
      // returned to the pool.
      await pool.close();
      await knex.destroy();
    },
  };
}

const defaultStatementTimeoutMs = 30_000;

function clientConfig({
  url,
  applicationName,
  statementTimeoutMs = defaultStatementTimeoutMs,
}: DatabaseOptions) {
  return {
    connectionString: url,
    application_name: applicationName,
    // The client gives up one second after the statement timeout. A responsive server has cancelled the statement by
    // then. Without a statement timeout the client sets no limit either.
    ...(statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + 1_000 }),
    keepAlive: true,
    // The operating system sends keep-alive probes only after two hours by default. A dead idle connection would stay
    // in the pool for that time.
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** Returns the session settings of each connection. Times are in milliseconds. */
function sessionSettings({
  url,
  statementTimeoutMs = defaultStatementTimeoutMs,
  lockTimeoutMs,
  plansByKey = false,
}: DatabaseOptions): SessionSettings {
  const settings = {
    statement_timeout: String(statementTimeoutMs),
    ...(lockTimeoutMs !== undefined && { lock_timeout: String(lockTimeoutMs) }),
    // The server closes a connection whose transaction is idle for this time, in milliseconds, so that a frozen client
    // does not hold its row locks longer.
    idle_in_transaction_session_timeout: '30000',
    ...(plansByKey && {
      plan_cache_mode: 'force_generic_plan',
      enable_seqscan: 'off',
      enable_bitmapscan: 'off',
    }),
  };
  const { searchParams } = new URL(url);
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !searchParams.has(name)));
}

function ignore(): void {}
