import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ensureRabbitmqInstalled, findFreePorts, startPostgres, startRabbitmq } from '@tocsin/local';
import { type Part, startPart } from './managed-process.js';
import type { Stack } from './start-stack.js';

export interface ServersOptions {
  processes: Stack['processes'];
  directory: string;
  logOf: (name: string) => string;
  say: (line: string) => void;
}

export interface DatabaseServer extends Part {
  /** Past every proxy. */
  readonly url: string;
}

export interface BrokerServer extends Part {
  readonly url: string;
  /** Runs rabbitmqctl against the node; what it printed. */
  control(...args: string[]): Promise<string>;
}

/** PostgreSQL as in production: `fsync` and `synchronous_commit` are on. */
export async function startDatabaseServer(options: ServersOptions): Promise<DatabaseServer> {
  const { processes, directory, logOf } = options;
  const [port = 0] = await findFreePorts(1);
  let url = '';
  const part = await startPart({
    name: 'postgres',
    readLog: () => readFileSync(logOf('postgres'), 'utf8'),
    async start() {
      const running = await startPostgres({
        processes,
        directory: join(directory, 'postgres'),
        logFile: logOf('postgres'),
        port,
        durable: true,
        database: 'tocsin',
      });
      url = running.url;
      return running.child;
    },
  });
  return { ...part, url };
}

export async function startBrokerServer(options: ServersOptions): Promise<BrokerServer> {
  const { processes, logOf, say } = options;
  const directory = join(options.directory, 'rabbitmq');
  const [amqp = 0, epmd = 0, distribution = 0] = await findFreePorts(3);
  const installed = ensureRabbitmqInstalled(logOf('apt'), say);
  let url = '';
  const part = await startPart({
    name: 'rabbitmq',
    readLog: () => readFileSync(logOf('rabbitmq'), 'utf8'),
    async start() {
      const running = await startRabbitmq({
        processes,
        directory,
        logFile: logOf('rabbitmq'),
        ports: { amqp, epmd, distribution },
        installed,
      });
      url = running.url;
      return running.child;
    },
  });
  const env = {
    PATH: installed.path,
    LANG: 'C.UTF-8',
    HOME: directory,
    ERL_EPMD_PORT: String(epmd),
    ERL_INETRC: join(directory, 'inetrc'),
    RABBITMQ_CONF_ENV_FILE: join(directory, 'empty-env.conf'),
    RABBITMQ_NODENAME: 'tocsin@localhost',
  };
  const ctl = join(dirname(installed.server), 'rabbitmqctl');
  return {
    ...part,
    url,
    async control(...args) {
      const { stdout } = await promisify(execFile)(ctl, ['--quiet', ...args], { env, cwd: directory });
      return stdout;
    },
  };
}
