import knexModule, { type Knex } from 'knex';
import type pg from 'pg';
import { classifyDatabaseError, isConnectionLost, isReadOnly, NoConnectionError } from './errors.js';
import { createSilenceGuard } from './silence-guard.js';
import { watchSilence } from './watch-silence.js';

export interface DatabaseOptions {
  url: string;
  /** Seen in `pg_stat_activity`. */
  applicationName: string;
  /** Connections at the most. */
  poolSize?: number;
  /** The server ends a statement that runs longer, in milliseconds. */
  statementTimeoutMs?: number;
  /** A statement that waits longer for what another has locked is undone, in milliseconds; else its own limit holds. */
  lockTimeoutMs?: number;
  /** Waiting longer than this for a free connection is an error, in milliseconds. */
  acquireTimeoutMs?: number;
  /**
   * For those who look rows up by their keys: named statements are planned once for each connection, and by index. Left
   * to itself the server plans some anew each time, and keeps plans that were good for a table that was empty just then.
   */
  plansByKey?: boolean;
  /** Where nothing has been answered for so long, whoever comes is refused at once, in milliseconds; never if not set. */
  refuseAfterMs?: number;
}

/** A pool of connections. `knex` builds queries; hot statements go through `prepared`. */
export interface Database {
  knex: Knex;
  /** Runs a statement under a name: parsed once for each connection. */
  prepared<Row>(statement: Prepared, values: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** Statements that are committed together; `knex.transaction` gives one. */
export type Transaction = Knex.Transaction;

export interface Prepared {
  name: string;
  text: string;
}

const defaultPoolSize = 10;

/** Opens no connection before the first query; a server that is away is an error of that query, not of this call. */
export function createDatabase(options: DatabaseOptions): Database {
  const { poolSize = defaultPoolSize } = options;
  const knex = openKnex(options, () => guard.answered());
  const acquire: () => Promise<pg.Client> = knex.client.acquireConnection.bind(knex.client);
  const ask = async (connection: pg.Client, query: pg.QueryConfig): Promise<pg.QueryResultRow[]> => {
    try {
      return (await connection.query(query)).rows;
    } catch (error) {
      // One whose server died, or whose statements will not do any more, must not be handed out again.
      if (isConnectionLost(error) || isOutdated(error)) retire(connection, error);
      throw error;
    } finally {
      await knex.client.releaseConnection(connection);
    }
  };
  const guard = createSilenceGuard({
    afterMs: options.refuseAfterMs ?? Number.POSITIVE_INFINITY,
    probe: async () => ask(await acquire(), { text: 'select 1' }),
  });
  // Every query and transaction, knex's own too, begins with this.
  knex.client.acquireConnection = async () => {
    await guard.admit();
    return acquire().catch((cause) => {
      throw new NoConnectionError(cause);
    });
  };
  return {
    knex,
    async prepared<Row>({ name, text }: Prepared, values: unknown[]) {
      const query = { name, text, values };
      // Each connection that knows the statement as it was fails once; a new one cannot.
      for (let left = poolSize; ; left -= 1) {
        try {
          return (await ask(await knex.client.acquireConnection(), query)) as Row[];
        } catch (error) {
          if (left === 0 || !isOutdated(error)) throw error;
        }
      }
    },
    close: () => knex.destroy(),
  };
}

function openKnex(options: DatabaseOptions, onAnswer: () => void): Knex {
  const { statementTimeoutMs = 30_000 } = options;
  return knexModule({
    client: 'pg',
    // The oldest that is supported: knex would ask each new connection, with no time limit.
    version: '14.0',
    // What goes wrong reaches the caller as an error; knex would print it beside the log.
    log: silent,
    connection: {
      connectionString: options.url,
      application_name: options.applicationName,
      statement_timeout: statementTimeoutMs,
      ...(options.lockTimeoutMs !== undefined && { lock_timeout: options.lockTimeoutMs }),
      // A frozen client must not hold its row locks for ever.
      idle_in_transaction_session_timeout: 30_000,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      ...(options.plansByKey && { options: plansByKey }),
      // Else the system's own holds, two hours: what died while idle would be found by those who need it.
      keepAliveInitialDelayMillis: 10_000,
    },
    pool: {
      min: 0,
      max: options.poolSize ?? defaultPoolSize,
      idleTimeoutMillis: 60_000,
      afterCreate: (client: Raw, done: (error?: Error) => void) => {
        // A living server ends the statement itself before this; without such a limit any silence may be work.
        if (statementTimeoutMs > 0) watchSilence(client, statementTimeoutMs + 1_000);
        onAnswer();
        client.connection.on('readyForQuery', onAnswer);
        client.connection.on('errorMessage', (error) => {
          if (isReadOnly(error)) retire(client, error);
        });
        done();
      },
    },
    acquireConnectionTimeout: options.acquireTimeoutMs ?? 5_000,
  });
}

function isOutdated(error: unknown): boolean {
  return classifyDatabaseError(error) === 'outdated_plan';
}

const plansByKey = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off';
const silent = { debug() {}, warn() {}, error() {}, deprecate() {} };

type Raw = Parameters<typeof watchSilence>[0];

/** knex hands a connection that carries this mark to nobody any more. */
function retire(connection: object, reason: unknown): void {
  Object.assign(connection, { __knex__disposed: reason });
}
