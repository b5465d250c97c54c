import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { isExecutable } from '../is-executable.js';

export interface InstalledRabbitmq {
  /** Script that starts a node in the foreground as the calling user. */
  server: string;
  epmd: string;
  /** Value for PATH that contains the directory of `erl`, which the script needs. */
  path: string;
}

// Paths of the script that is used instead of the wrapper /usr/sbin/rabbitmq-server. On Debian and Red Hat the wrapper
// requires root or the user `rabbitmq`, and starts the node of the system service. The second and the third path are
// those of Homebrew.
const servers = [
  '/usr/lib/rabbitmq/bin/rabbitmq-server',
  '/opt/homebrew/opt/rabbitmq/sbin/rabbitmq-server',
  '/usr/local/opt/rabbitmq/sbin/rabbitmq-server',
  '/opt/rabbitmq/sbin/rabbitmq-server',
];
const usualDirectories = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin', '/usr/lib/erlang/bin'];

/** Returns undefined if RabbitMQ or Erlang is missing. `searchPath` is the caller's PATH. */
export function findRabbitmq(searchPath: string | undefined): InstalledRabbitmq | undefined {
  const directories = [...new Set([...(searchPath ?? '').split(delimiter), ...usualDirectories])].filter(
    (d) => d !== '',
  );
  const inPath = (name: string) => directories.map((directory) => join(directory, name)).find(isExecutable);
  const server = servers.find(isExecutable) ?? inPath('rabbitmq-server');
  const erl = inPath('erl');
  if (server === undefined || erl === undefined) return undefined;
  const epmd = inPath('epmd') ?? join(dirname(realpathSync(erl)), 'epmd');
  if (!existsSync(epmd)) return undefined;
  return { server, epmd, path: directories.join(delimiter) };
}
