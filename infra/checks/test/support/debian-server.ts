import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcessHost, ensureInstalled, findFreePorts } from '@tocsin/local';

/**
 * Prepares the start of a server: installs its Debian package if it is missing, creates a directory and finds a free
 * port. `processes.close` removes the directory.
 */
export async function prepareServer(name: string, { debianPackage = name } = {}) {
  const directory = mkdtempSync(join(tmpdir(), `tocsin-${name}-`));
  const processes = createProcessHost();
  processes.removeAtEnd(directory);
  const unitLinks = [`/etc/systemd/system/multi-user.target.wants/${name}.service`];
  const wanted = { name: debianPackage, unitLinks };
  const program = ensureInstalled(`/usr/sbin/${name}`, wanted, join(directory, 'apt.log'));
  const [port = 0] = await findFreePorts(1);
  return { directory, processes, program, port };
}
