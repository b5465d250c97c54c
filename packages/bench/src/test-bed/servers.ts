import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  ensureRabbitmqInstalled,
  findFreePorts,
  type ProcessHost,
  startPostgres,
  startRabbitmq,
} from '@tocsin/local';
import { type ManagedProcess, startManagedProcess } from './managed-process.js';
import { enableStatementCounts } from './statement-counts-reader.js';

export interface ServersOptions {
  processes: ProcessHost;
  /** Parent directory of the servers' data directories. */
  directory: string;
  logFile(name: string): string;
  print(line: string): void;
}

export interface DatabaseServer extends ManagedProcess {
  readonly url: string;
}

export interface BrokerServer extends ManagedProcess, BrokerCommands {
  readonly url: string;
}

/** Commands of a broker node. Each returns the standard output of the command. */
export interface BrokerCommands {
  /** Runs `rabbitmqctl`. */
  control(...args: string[]): Promise<string>;
  /** Runs `rabbitmq-queues`. */
  queues(...args: string[]): Promise<string>;
}

export interface Servers {
  postgres: DatabaseServer;
  rabbitmq: BrokerServer;
}

/**
 * Starts PostgreSQL with the durability of production: `fsync` and `synchronous_commit` are on.
 * @param countStatements loads `pg_stat_statements`, which reduces the throughput by a few percent
 */
export async function startDatabaseServer(
  { processes, directory, logFile }: ServersOptions,
  { countStatements }: { countStatements: boolean },
): Promise<DatabaseServer> {
  const [port = 0] = await findFreePorts(1);
  let url = '';
  const server = await startManagedProcess('postgres', async () => {
    const running = await startPostgres({
      processes,
      directory: join(directory, 'postgres'),
      logFile: logFile('postgres'),
      port,
      durable: true,
      database: 'tocsin',
    });
    url = running.url;
    return running.child;
  });
  if (countStatements) {
    await enableStatementCounts(url);
    // PostgreSQL loads `pg_stat_statements` only when it starts.
    await server.stop();
    await server.restart();
  }
  return { ...server, url };
}

export async function startBrokerServer(options: ServersOptions): Promise<BrokerServer> {
  const { processes, logFile, print } = options;
  const directory = join(options.directory, 'rabbitmq');
  const [amqp = 0, epmd = 0, distribution = 0] = await findFreePorts(3);
  const installed = ensureRabbitmqInstalled(logFile('apt'), print);
  const ports = { amqp, epmd, distribution };
  let url = '';
  const server = await startManagedProcess('rabbitmq', async () => {
    const running = await startRabbitmq({
      processes,
      directory,
      logFile: logFile('rabbitmq'),
      ports,
      installed,
    });
    url = running.url;
    return running.child;
  });
  const commands = brokerCommands({ installed, directory, epmdPort: epmd, nodeName: 'tocsin@localhost' });
  return { ...server, ...commands, url };
}

export interface BrokerCommandsOptions {
  installed: { server: string; path: string };
  /** Directory of the node. It contains the Erlang cookie. */
  directory: string;
  epmdPort: number;
  nodeName: string;
}

export function brokerCommands(options: BrokerCommandsOptions): BrokerCommands {
  const { installed, directory, epmdPort, nodeName } = options;
  const env = {
    PATH: installed.path,
    LANG: 'C.UTF-8',
    HOME: directory,
    ERL_EPMD_PORT: String(epmdPort),
    ERL_INETRC: join(directory, 'inetrc'),
    RABBITMQ_CONF_ENV_FILE: join(directory, 'empty-env.conf'),
    RABBITMQ_NODENAME: nodeName,
  };
  const run = async (program: string, args: string[]) => {
    const file = join(dirname(installed.server), program);
    const { stdout } = await promisify(execFile)(file, ['--quiet', ...args], { env, cwd: directory });
    return stdout;
  };
  return {
    control: (...args) => run('rabbitmqctl', args),
    queues: (...args) => run('rabbitmq-queues', args),
  };
}
