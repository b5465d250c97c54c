import { Client } from 'pg';
import type { Child, ProcessHost } from '../processes/process-host.js';
import { waitUntilReady } from '../processes/wait-until.js';
import { preparePostgresBinaries } from './binaries.js';
import { postgresEnv, prepareCluster, superuser } from './cluster.js';
import { prepareHome } from './home.js';
import { getPostgresUser } from './system-user.js';

export interface PostgresOptions {
  processes: ProcessHost;
  /** Directory for data and password. It is created if it is missing. */
  directory: string;
  logFile: string;
  /** Port on 127.0.0.1, the only address on which PostgreSQL listens. */
  port: number;
  /** False disables fsync, so a crash of the machine can lose data. Only for tests. */
  durable: boolean;
  /** Name of a database, which is created if it is missing. */
  database?: string;
  /** Settings that extend or override the default ones. */
  settings?: Readonly<Record<string, string | number>>;
}

export interface RunningPostgres {
  child: Child;
  /** URL of `database`, or of the database `postgres` if none is given, with the password of the superuser. */
  url: string;
}

/**
 * Starts a private PostgreSQL server. Resolves when it responds to queries. If it does not start, throws an error with
 * the last lines of its log.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { processes, directory, logFile, port, durable, database } = options;
  const user = getPostgresUser();
  const home = prepareHome(directory, user);
  // The caller removes `directory` after a test. If `directory` is a link, the caller removes only the link, so the
  // data is removed when this process ends.
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
    // SIGINT is PostgreSQL's fast shutdown. With SIGTERM it would wait until all clients disconnect.
    stopSignal: 'INT',
  });
  const urlOf = (name: string) => `postgres://${superuser}:${password}@127.0.0.1:${port}/${name}`;
  const probe = () => ensureDatabase(urlOf('postgres'), database);
  await waitUntilReady(child, probe, { what: 'PostgreSQL', timeoutMs: 60_000 });
  return { child, url: urlOf(database ?? 'postgres') };
}

// Default settings for a shared machine with two cores and a few gigabytes of memory.
const usualSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 200,
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  // WAL is minimal, because there are no replicas. I/O workers and JIT compilation are disabled, because the data fits
  // in memory.
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
  // A server that is still starting can close an accepted connection. Without a listener, the error event would end
  // this process.
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
