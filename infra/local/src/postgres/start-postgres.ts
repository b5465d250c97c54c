import { Client } from 'pg';
import type { Child, ProcessHost } from '../processes/process-host.js';
import { waitUntil } from '../processes/wait-until.js';
import { preparePostgresBinaries } from './binaries.js';
import { postgresEnv, prepareCluster, superuser } from './cluster.js';
import { prepareHome } from './home.js';
import { getPostgresUser } from './system-user.js';

export interface PostgresOptions {
  processes: ProcessHost;
  /** Keeps data and password; made when missing. */
  directory: string;
  logFile: string;
  /** Of 127.0.0.1, the only address listened on. */
  port: number;
  /** False for tests only: a power cut may then destroy the data. */
  durable: boolean;
  /** Made when missing. The database `postgres` is always there. */
  database?: string;
}

export interface RunningPostgres {
  child: Child;
  /** Of the superuser, for `database` or else `postgres`. */
  url: string;
}

/** Starts a private PostgreSQL and resolves when it answers queries. Throws with the end of its log if it does not. */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { processes, directory, logFile, port, durable, database } = options;
  const user = getPostgresUser();
  const home = prepareHome(directory, user);
  // Whoever removes `directory` after a test would not find it.
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
  const settings = { ...usualSettings, ...(durable ? {} : notDurable), port };
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
    // "Fast": roll back, check-point and leave. TERM would wait for every client to go first.
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

// For a machine of two cores and a few gigabytes that does other things too.
const usualSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 200,
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  // One machine, no replicas: no log for them, and no worker processes for reads that come from memory.
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
  // A server that is just starting may cut the connection after it was made.
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
