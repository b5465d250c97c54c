import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readLogTail } from '../processes/process-host.js';
import { canInstallPackages, installPackages } from './install-packages.js';

export interface ServicePackage {
  name: string;
  /** Paths of the symbolic links that start the system service at boot. */
  unitLinks: readonly string[];
}

/**
 * Returns the path of a server program. If it is missing and the user is root on Debian, installs its package without
 * the system service.
 * @throws Error with installation instructions
 */
export function ensureInstalled(program: string, wanted: ServicePackage, logFile: string): string {
  if (existsSync(program)) return program;
  if (!canInstallPackages()) throw new Error(`${program} is missing: apt-get install ${wanted.name}`);
  installWithoutService(wanted, logFile);
  return program;
}

const policy = '/usr/sbin/policy-rc.d';
const policyAside = '/usr/sbin/policy-rc.d.before-tocsin';

/**
 * Installs the package of a server without its system service. A policy prevents service starts during the
 * installation, and the links that would start the service at boot are removed.
 * @throws Error with the last lines of the log
 */
export function installWithoutService({ name, unitLinks }: ServicePackage, logFile: string): void {
  const newLinks = unitLinks.filter((link) => !existsAsLink(link));
  const hadService = existsSync(`/etc/init.d/${name}`);
  forbidServiceStarts(name);
  try {
    if (!installPackages([name], logFile))
      throw new Error(`apt-get could not install ${name}; log: ${logFile}\n${readLogTail(logFile)}`);
  } finally {
    allowServiceStarts();
    for (const link of newLinks) rmSync(link, { force: true });
    if (!hadService) spawnSync('update-rc.d', [name, 'disable'], { stdio: 'ignore' });
  }
}

const policyMark = '# By Tocsin';

function forbidServiceStarts(name: string): void {
  if (existsSync(policy) && !readFileSync(policy, 'utf8').includes(policyMark))
    renameSync(policy, policyAside);
  writeFileSync(policy, `#!/bin/sh\n${policyMark}, while it installs ${name}.\nexit 101\n`, { mode: 0o755 });
}

function allowServiceStarts(): void {
  rmSync(policy, { force: true });
  if (existsSync(policyAside)) renameSync(policyAside, policy);
}

/** Returns true if a file or symbolic link exists, even if the target of the link is missing. */
function existsAsLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
