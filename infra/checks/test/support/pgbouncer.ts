import { chmod, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { getPostgresUser } from '@tocsin/local';
import { until } from '@tocsin/testing';
import { prepareServer } from './debian-server.js';

export interface Pgbouncer {
  /** URL that connects to the database of `serverUrl` through PgBouncer. */
  url: string;
  stop(): Promise<void>;
}

/** Starts PgBouncer with its default settings (session pooling). Installs Debian's package if it is missing. */
export async function startPgbouncer(serverUrl: string): Promise<Pgbouncer> {
  const { directory, processes, program, port } = await prepareServer('pgbouncer');
  const configuration = join(directory, 'pgbouncer.ini');
  await writeFile(configuration, configure(serverUrl, { port, directory }));
  await writeFile(join(directory, 'users.txt'), '"tocsin" ""\n');
  // PgBouncer refuses to run as root, so it runs as the system user of PostgreSQL. This user must be able to read the
  // configuration and the list of users.
  await chmod(directory, 0o755);
  const child = await processes.start({
    name: 'pgbouncer',
    command: program,
    args: [configuration],
    env: { PATH: '/usr/bin:/bin' },
    user: getPostgresUser(),
    logFile: join(directory, 'pgbouncer.log'),
  });
  await until('PgBouncer accepts connections', () => isReachable(port));
  return {
    url: `postgres://tocsin@127.0.0.1:${port}/tocsin`,
    async stop() {
      await child.stop();
      processes.close();
    },
  };
}

/** Returns a configuration in which only addresses and accounts are set. All other settings have their defaults. */
function configure(serverUrl: string, { port, directory }: { port: number; directory: string }): string {
  const { hostname, port: serverPort, pathname, username, password } = new URL(serverUrl);
  return `[databases]
tocsin = host=${hostname} port=${serverPort} dbname=${pathname.slice(1)} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(directory, 'users.txt')}
`;
}

function isReachable(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
