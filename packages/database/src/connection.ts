import knexModule, { type Knex } from 'knex';
import { type ConnectionCounts, createConnectionPool, type SessionSettings } from './connection-pool.js';
import { classifyDatabaseError } from './errors.js';

export interface DatabaseOptions {
  /** Parameters of the url, such as `?statement_timeout=300`, replace the limits below. */
  url: string;
  /** Name of this client in `pg_stat_activity`. */
  applicationName: string;
  /** Maximum number of connections. Default: 10. */
  poolSize?: number;
  /** Time after which the server cancels a statement, in milliseconds. Default: 30,000; 0 for no limit. */
  statementTimeoutMs?: number;
  /** Longest wait of a statement for a lock, in milliseconds. Default: the limit of the statement. */
  lockTimeoutMs?: number;
  /** Longest wait for a free connection, in milliseconds. Default: 5,000. */
  acquireTimeoutMs?: number;
  /**
   * Makes named statements use a generic plan with index scans; suits callers that read rows by their keys. By default
   * the server replans some of these statements on every call, and keeps plans that it made while a table was empty.
   */
  plansByKey?: boolean;
  /**
   * Time without any response, in milliseconds, after which queries fail at once until a probe succeeds. Default:
   * never.
   */
  refuseAfterMs?: number;
}

/** A pool of connections. `knex` builds queries; `prepared` runs the statements of hot paths. */
export interface Database {
  knex: Knex;
  /** Runs a named statement, which each connection parses once. */
  prepared<Row>(statement: Prepared, values: unknown[]): Promise<Row[]>;
  /** Present use of the pool. */
  connections(): ConnectionCounts;
  /** Waits for the statements that run, then closes all connections. */
  close(): Promise<void>;
}

/** Statements that are committed together; `knex.transaction` creates one. */
export type Transaction = Knex.Transaction;

export interface Prepared {
  name: string;
  text: string;
}

/** Opens no connection before the first query; an unavailable server is an error of that query. */
export function createDatabase(options: DatabaseOptions): Database {
  const { poolSize = 10, acquireTimeoutMs = 5_000, refuseAfterMs = Number.POSITIVE_INFINITY } = options;
  const pool = createConnectionPool({
    client: clientConfig(options),
    settings: sessionSettings(options),
    max: poolSize,
    acquireTimeoutMs,
    openAfterMs: refuseAfterMs,
  });
  const knex = knexModule({
    client: 'pg',
    // The oldest supported version of PostgreSQL. Without this setting knex queries the version.
    version: '14.0',
    // Callers receive every error; knex would print it as well.
    log: { debug: ignore, warn: ignore, error: ignore, deprecate: ignore },
    // knex uses the pool like a `pg.Pool`; it reads none of the counts.
    connectionPool: { connect: pool.acquire, end: pool.close, totalCount: 0, idleCount: 0, waitingCount: 0 },
  });
  const run = async <Row>({ name, text }: Prepared, values: unknown[]): Promise<Row[]> => {
    const connection = await pool.acquire();
    try {
      return (await connection.query({ name, text, values })).rows as Row[];
    } finally {
      connection.release();
    }
  };
  return {
    knex,
    async prepared<Row>(statement: Prepared, values: unknown[]) {
      // Each connection with an outdated plan fails once and is replaced by a new connection, which has none.
      for (let retries = poolSize; ; retries -= 1) {
        try {
          return await run<Row>(statement, values);
        } catch (error) {
          if (retries === 0 || classifyDatabaseError(error) !== 'outdated_plan') throw error;
        }
      }
    },
    connections: pool.counts,
    async close() {
      // The pool waits for queries in progress. After its destruction knex returns no connection to the pool.
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
    // The client gives up one second after the statement timeout, by which a responsive server has cancelled the
    // statement. Without a statement timeout a statement may run for any time.
    ...(statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + 1_000 }),
    keepAlive: true,
    // The keep-alive default of the operating system is two hours. A dead idle connection would stay in the pool that
    // long.
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** Settings of the server for each connection, times in milliseconds. */
function sessionSettings({
  url,
  statementTimeoutMs = defaultStatementTimeoutMs,
  lockTimeoutMs,
  plansByKey = false,
}: DatabaseOptions): SessionSettings {
  const settings = {
    statement_timeout: String(statementTimeoutMs),
    ...(lockTimeoutMs !== undefined && { lock_timeout: String(lockTimeoutMs) }),
    // The server releases the row locks of a frozen client after this time.
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
