import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Returns the version of the software. All packages of the repository have the same version. */
export function readVersion(): string {
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** Returns host name and process id. In a container, the host name is the name of the container or pod. */
export function instanceName(): string {
  return `${hostname()} ${process.pid}`;
}
