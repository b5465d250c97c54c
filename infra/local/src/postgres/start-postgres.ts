import { Client } from 'pg';
import type { Child, ProcessHost } from '../processes/process-host.js';
import { waitUntil } from '../processes/wait-until.js';
import { preparePostgresBinaries } from './binaries.js';
import { postgresEnv, prepareCluster, superuser } from './cluster.js';
import { prepareHome } from './home.js';
import { getPostgresUser } from './system-user.js';

export interface PostgresOptions {
  processes: ProcessHost;
  /** Directory for data and password. Created if missing. */
  directory: string;
  logFile: string;
  /** Port on 127.0.0.1, the only address that PostgreSQL listens on. */
  port: number;
  /** False: fsync is off, for tests only. */
  durable: boolean;
  /** Name of a database to create if missing. */
  database?: string;
  /** Settings in addition to the usual ones, or in place of them. */
  settings?: Readonly<Record<string, string | number>>;
}

export interface RunningPostgres {
  child: Child;
  /** Address with the superuser, for `database` or `postgres`. */
  url: string;
}

/** Starts a private PostgreSQL. Resolves when it answers queries; throws with the end of its log otherwise. */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { processes, directory, logFile, port, durable, database } = options;
  const user = getPostgresUser();
  const home = prepareHome(directory, user);
  // The caller removes `directory` after a test, which would not remove data behind a link.
  if (!durable && home !== directory) processes.removeAtEnd(home);
  const binaries = preparePostgresBinaries({ user, copyTo: home });
  const { dataDirectory, password } = await prepareCluster({
    processes,
    logFile,
    home,
    binaries,
    user,
    durable,
  });
  const settings = { ...usualSettings, ...(durable ? {} : notDurable), ...options.settings, port };
  const child = await processes.start({
    name: 'postgres',
    command: binaries.postgres,
    args: [
      '-D',
      dataDirectory,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    env: postgresEnv,
    cwd: home,
    user,
    logFile,
    // SIGINT is PostgreSQL's fast shutdown. SIGTERM would wait for all clients to disconnect.
    stopSignal: 'INT',
  });
  const urlOf = (name: string) => `postgres://${superuser}:${password}@127.0.0.1:${port}/${name}`;
  try {
    await waitUntil(() => ensureDatabase(urlOf('postgres'), database), {
      what: 'PostgreSQL',
      timeoutMs: 60_000,
      child,
    });
  } catch (error) {
    await child.stop();
    throw error;
  }
  return { child, url: urlOf(database ?? 'postgres') };
}

// Settings for a shared machine with two cores and a few gigabytes of memory.
const usualSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 200,
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  // No replicas: minimal WAL. No parallel workers: the data fits in memory.
  wal_level: 'minimal',
  max_wal_senders: 0,
  io_method: 'sync',
  jit: 'off',
  random_page_cost: 1.1,
};

const notDurable = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '128MB',
};

async function ensureDatabase(maintenanceUrl: string, database: string | undefined): Promise<void> {
  const client = new Client({ connectionString: maintenanceUrl, connectionTimeoutMillis: 5_000 });
  // A starting server can close a connection that it accepted.
  client.on('error', () => {});
  try {
    await client.connect();
    if (database === undefined) {
      await client.query('select 1');
      return;
    }
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
}
