import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

export interface InstalledRabbitmq {
  /** The script that starts a node in the foreground as whoever calls it. */
  server: string;
  epmd: string;
  /** With the directory of `erl` in it, which the script looks for. */
  path: string;
}

// Debian's and Red Hat's /usr/sbin/rabbitmq-server insists on root or the user `rabbitmq` and on the system's node;
// what it wraps does not. Then Homebrew on both of its prefixes.
const servers = [
  '/usr/lib/rabbitmq/bin/rabbitmq-server',
  '/opt/homebrew/opt/rabbitmq/sbin/rabbitmq-server',
  '/usr/local/opt/rabbitmq/sbin/rabbitmq-server',
  '/opt/rabbitmq/sbin/rabbitmq-server',
];
const usualDirectories = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin', '/usr/lib/erlang/bin'];

/** Undefined where RabbitMQ or its Erlang is missing. `searchPath` is the caller's PATH. */
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

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
