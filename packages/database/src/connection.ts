import { isNativeError } from 'node:util/types';
import knexModule, { type Knex } from 'knex';
import type pg from 'pg';
import { watchSilence } from './watch-silence.js';

export interface DatabaseOptions {
  url: string;
  /** Seen in `pg_stat_activity`. */
  applicationName: string;
  /** Connections at the most. */
  poolSize?: number;
  /** The server ends a statement that runs longer, in milliseconds. */
  statementTimeoutMs?: number;
  /** Waiting longer than this for a free connection is an error, in milliseconds. */
  acquireTimeoutMs?: number;
}

/** A pool of connections. `knex` builds queries; hot statements go through `prepared`. */
export interface Database {
  knex: Knex;
  /** Runs a statement under a name: parsed once for each connection, planned generically. */
  prepared<Row>(statement: Prepared, values: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** Statements that are committed together; `knex.transaction` gives one. */
export type Transaction = Knex.Transaction;

export interface Prepared {
  name: string;
  text: string;
}

/** Opens no connection before the first query; a server that is away is an error of that query, not of this call. */
export function createDatabase(options: DatabaseOptions): Database {
  const { statementTimeoutMs = 30_000 } = options;
  const knex = knexModule({
    client: 'pg',
    // The oldest that is supported: knex would ask each new connection, with no time limit.
    version: '14.0',
    // What goes wrong reaches the caller as an error; knex would print it beside the log.
    log: silent,
    connection: {
      connectionString: options.url,
      application_name: options.applicationName,
      statement_timeout: statementTimeoutMs,
      // A frozen client must not hold its row locks for ever.
      idle_in_transaction_session_timeout: 30_000,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    },
    pool: {
      min: 0,
      max: options.poolSize ?? 10,
      idleTimeoutMillis: 60_000,
      afterCreate: (connection: Parameters<typeof watchSilence>[0], done: (error?: Error) => void) => {
        // A living server ends the statement itself before this; without such a limit any silence may be work.
        if (statementTimeoutMs > 0) watchSilence(connection, statementTimeoutMs + 1_000);
        done();
      },
    },
    acquireConnectionTimeout: options.acquireTimeoutMs ?? 5_000,
  });
  return {
    knex,
    async prepared<Row>(statement: Prepared, values: unknown[]): Promise<Row[]> {
      const connection: pg.Client = await knex.client.acquireConnection();
      try {
        const result = await connection.query({ name: statement.name, text: statement.text, values });
        return result.rows as Row[];
      } catch (error) {
        // knex retires a connection that carries this mark; one whose server died must not be handed out again.
        if (isConnectionLost(error)) Object.assign(connection, { __knex__disposed: error });
        throw error;
      } finally {
        await knex.client.releaseConnection(connection);
      }
    },
    close: () => knex.destroy(),
  };
}

const silent = { debug() {}, warn() {}, error() {}, deprecate() {} };

/** True for faults of the way to the database or of its being up, false for faults of a statement. */
export function isDatabaseAway(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return isConnectionLost(error) || /^(57P0[1-5]|53)/.test(code) || error.name === 'KnexTimeoutError';
}

/** Class 08 and the socket's own errors; pg gives some of them no code. */
function isConnectionLost(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^(08|57P0)/.test(code)) return true;
  if (/^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code)) return true;
  return (
    error instanceof AggregateError ||
    /connection terminated|not queryable|timeout expired/i.test(error.message)
  );
}
