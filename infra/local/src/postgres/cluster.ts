import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessHost } from '../processes/process-host.js';
import { isAlive } from '../processes/process-identity.js';
import type { PostgresBinaries } from './binaries.js';
import type { SystemUser } from './system-user.js';

export interface Cluster {
  dataDirectory: string;
  password: string;
}

export const superuser = 'tocsin';

export interface ClusterOptions {
  processes: ProcessHost;
  logFile: string;
  home: string;
  binaries: PostgresBinaries;
  user: SystemUser | undefined;
  durable: boolean;
}

/** Returns the data directory and the password of the superuser. The first call creates both. */
export async function prepareCluster(options: ClusterOptions): Promise<Cluster> {
  const { home } = options;
  const dataDirectory = join(home, 'data');
  const passwordFile = join(home, 'password');
  if (!existsSync(dataDirectory)) {
    const password = randomBytes(18).toString('base64url');
    writeFileSync(passwordFile, password, { mode: 0o600 });
    await initialise({ ...options, dataDirectory, password });
  }
  removeStaleLock(dataDirectory);
  return { dataDirectory, password: readFileSync(passwordFile, 'utf8') };
}

async function initialise(options: ClusterOptions & Cluster): Promise<void> {
  const { processes, logFile, home, binaries, user, durable, dataDirectory, password } = options;
  // initdb writes to a temporary directory, so that the result of an interrupted run is never used.
  const unfinished = `${dataDirectory}.unfinished`;
  const passwordForInitdb = join(home, 'initdb-password');
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordForInitdb, password, { mode: 0o600 });
  if (user !== undefined) {
    chownSync(unfinished, user.uid, user.gid);
    chownSync(passwordForInitdb, user.uid, user.gid);
  }
  const args = [
    ...['-D', unfinished, '-U', superuser, `--pwfile=${passwordForInitdb}`, '--auth=scram-sha-256'],
    // The builtin C.UTF-8 locale sorts text the same way on every machine.
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...(durable ? [] : ['--no-sync']),
  ];
  // initdb runs as a child of the process host, so that a stop request also ends initdb.
  const child = await processes.start({
    name: 'initdb',
    command: binaries.initdb,
    args,
    env: postgresEnv,
    cwd: home,
    user,
    logFile,
  });
  const { code } = await child.exited;
  rmSync(passwordForInitdb, { force: true });
  if (code !== 0) throw new Error(`initdb failed; log: ${logFile}\n${child.logTail()}`);
  renameSync(unfinished, dataDirectory);
}

/** Removes a stale postmaster.pid. After a crash, its process id can belong to another process. */
function removeStaleLock(dataDirectory: string): void {
  const file = join(dataDirectory, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n', 1)[0]);
  if (!isAlive(pid) || !readCommandLine(pid).includes('postgres')) rmSync(file);
}

function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // Without /proc, the file is kept and PostgreSQL decides whether it is stale.
    return 'postgres';
  }
}

export const postgresEnv: NodeJS.ProcessEnv = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
