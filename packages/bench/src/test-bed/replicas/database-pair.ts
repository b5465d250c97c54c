import { execFile } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePorts, startPostgres } from '@tocsin/local';
import { until } from '@tocsin/testing';
import { Client } from 'pg';
import { type ManagedProcess, startManagedProcess } from '../managed-process.js';
import type { DatabaseServer, ServersOptions } from '../servers.js';

/** A PostgreSQL primary and a synchronous standby. A commit is confirmed after both servers have written it to disk. */
export interface DatabasePair {
  /** Both servers. The first one is the primary at the start. After a promotion, the other server is the primary. */
  nodes: [DatabaseServer, DatabaseServer];
  primary(): ManagedProcess;
  standby(): ManagedProcess;
  /**
   * Makes the standby the primary. The former primary must have ended. Resolves when the new primary accepts writes.
   */
  promote(): Promise<void>;
  /** Makes the former primary a synchronous standby with a new copy of the data. */
  rebuildStandby(): Promise<void>;
  stop(): Promise<void>;
}

const settings = { wal_level: 'replica', max_wal_senders: 5, wal_keep_size: '1GB' };
const streamTimeoutMs = 60_000;

interface Node {
  /** Name of the server. A standby connects to the primary with this name as `application_name`. */
  name: string;
  directory: string;
  url: string;
  /** The primary that this server follows as a standby after its next start. Undefined for a primary. */
  follows: Node | undefined;
  process: ManagedProcess;
}

export async function startDatabasePair(options: ServersOptions): Promise<DatabasePair> {
  let primary = await startNode(options, { name: 'postgres_1' });
  let standby = await startNode(options, { name: 'postgres_2', follows: primary });
  await waitForStandby(primary, standby);
  const toServer = ({ process, url }: Node): DatabaseServer => ({ ...process, url });
  return {
    nodes: [toServer(primary), toServer(standby)],
    primary: () => primary.process,
    standby: () => standby.process,
    async promote() {
      await query(standby.url, 'select pg_promote(true, 60)');
      [primary, standby] = [standby, primary];
      primary.follows = undefined;
    },
    async rebuildStandby() {
      rmSync(join(standby.directory, 'data'), { recursive: true });
      await copyDatabase(primary, standby.directory);
      standby.follows = primary;
      await standby.process.restart();
      await waitForStandby(primary, standby);
    },
    async stop() {
      await standby.process.stop();
      await primary.process.stop();
    },
  };
}

async function startNode(
  options: ServersOptions,
  { name, follows }: { name: string; follows?: Node },
): Promise<Node> {
  const { processes, logFile } = options;
  const directory = join(options.directory, name);
  const [port = 0] = await findFreePorts(1);
  if (follows !== undefined) {
    mkdirSync(directory, { mode: 0o711 });
    await copyDatabase(follows, directory);
  }
  const state = { follows, url: '' };
  const process = await startManagedProcess(name, async () => {
    const running = await startPostgres({
      processes,
      directory,
      logFile: logFile(name),
      port,
      durable: true,
      database: 'tocsin',
      settings: state.follows === undefined ? settings : { ...settings, ...following(state.follows, name) },
    });
    state.url = running.url;
    return running.child;
  });
  return Object.assign(state, { name, directory, process });
}

function following({ url }: Node, name: string) {
  const { hostname, port, username, password } = new URL(url);
  return {
    primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password} application_name=${name}`,
  };
}

/**
 * Copies the data directory of a running server and makes the copy a standby. `pg_basebackup -R` would do this, but the
 * npm distribution of PostgreSQL lacks that program. The primary keeps the write-ahead log that the copy needs
 * (`wal_keep_size`).
 */
async function copyDatabase({ url, directory: from }: Node, to: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('standby', true)`);
    await promisify(execFile)('cp', ['-a', join(from, 'data'), join(from, 'password'), to]);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    const data = join(to, 'data');
    rmSync(join(data, 'postmaster.pid'));
    const { uid, gid } = statSync(data);
    for (const [file, text] of [
      ['backup_label', rows[0]!.labelfile],
      ['standby.signal', ''],
    ] as const) {
      writeFileSync(join(data, file), text);
      chownSync(join(data, file), uid, gid);
    }
  } finally {
    await client.end();
  }
}

/**
 * Waits until the standby streams the write-ahead log of the primary, and then makes it synchronous. If it were made
 * synchronous first, every commit would wait until the standby streams.
 */
async function waitForStandby({ url }: Node, { name }: Node): Promise<void> {
  const untilState = (states: string[]) =>
    until(
      `${name} is ${states.join(' or ')}`,
      async () => {
        const [row] = await query<{ state: string }>(
          url,
          `select sync_state as state from pg_stat_replication where application_name = '${name}' and state = 'streaming'`,
        );
        return row !== undefined && states.includes(row.state);
      },
      { timeoutMs: streamTimeoutMs, intervalMs: 100 },
    );
  await untilState(['async', 'sync']);
  await query(url, `alter system set synchronous_standby_names = '${name}'`);
  await query(url, 'select pg_reload_conf()');
  await untilState(['sync']);
}

/** Runs a statement on a new connection. */
export async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
