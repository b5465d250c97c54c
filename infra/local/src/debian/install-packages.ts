import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** Returns true for root on Debian and its derivatives. */
export function canInstallPackages(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get') && existsSync('/etc/debian_version');
}

/** Installs packages of the distribution. Returns false if apt-get failed; its output is in the log file. */
export function installPackages(names: readonly string[], logFile: string): boolean {
  mkdirSync(dirname(logFile), { recursive: true });
  const install = ['install', '-y', '--no-install-recommends', ...names];
  // The package lists are updated only after a failure, for example in a new container, which has no package lists.
  if (runApt(install, logFile)) return true;
  runApt(['update'], logFile);
  return runApt(install, logFile);
}

function runApt(args: string[], logFile: string): boolean {
  const log = openSync(logFile, 'a', 0o600);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // With the lock timeout of 300 s, apt waits for a concurrent apt process instead of failing. setsid starts a separate
  // session, so that Ctrl-C does not interrupt dpkg.
  const command = ['--wait', 'apt-get', '-o', 'DPkg::Lock::Timeout=300', ...args];
  const { status } = spawnSync('setsid', command, { stdio: ['ignore', log, log], env });
  closeSync(log);
  return status === 0;
}
