import { delimiter, join } from 'node:path';
import { canInstallPackages, installPackages } from '../debian/install-packages.js';
import { isExecutable } from '../is-executable.js';
import { readLogTail } from '../processes/process-host.js';

const names = ['chromium', 'chromium-browser', 'google-chrome'];
const usualDirectories = ['/usr/bin', '/usr/local/bin', '/snap/bin'];

/**
 * Returns the path of an installed Chromium. If none is installed and the user is root on Debian or Ubuntu, installs
 * the package of the distribution. `say` is called with progress messages.
 * @throws Error with instructions if Chromium is missing and cannot be installed
 */
export function ensureChromiumInstalled(logFile: string, say: (message: string) => void): string {
  const found = findChromium();
  if (found !== undefined) return found;
  if (!canInstallPackages())
    throw new Error(
      'Chromium is not installed. Debian: sudo apt-get install chromium   (or run this once as root)',
    );
  say('Chromium is not installed: installing the distribution’s chromium');
  const isInstalled = installPackages(['chromium', 'fonts-dejavu-core'], logFile);
  const installed = findChromium();
  if (!isInstalled || installed === undefined)
    throw new Error(`apt-get could not install chromium; log: ${logFile}\n${readLogTail(logFile)}`);
  return installed;
}

function findChromium(): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), ...usualDirectories];
  return names
    .flatMap((name) =>
      directories.filter((directory) => directory !== '').map((directory) => join(directory, name)),
    )
    .find(isExecutable);
}
