import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { readLogTail } from '../processes/process-host.js';

const policy = '/usr/sbin/policy-rc.d';
const policyAside = '/usr/sbin/policy-rc.d.before-tocsin';
const unitLinks = [
  '/etc/systemd/system/multi-user.target.wants/rabbitmq-server.service',
  '/etc/systemd/system/multi-user.target.wants/epmd.service',
  '/etc/systemd/system/sockets.target.wants/epmd.socket',
];

/** True on Debian and its derivatives as root. */
export function canInstallRabbitmq(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get') && existsSync('/etc/debian_version');
}

/**
 * Installs the distribution's package without its system service: a policy forbids service starts during the
 * installation, and the links that would start it at boot are removed.
 */
export function installRabbitmq(logFile: string): void {
  const newLinks = unitLinks.filter((link) => !existsAsLink(link));
  const hadNode = existsSync('/etc/init.d/rabbitmq-server');
  forbidServiceStarts();
  try {
    const install = ['install', '-y', '--no-install-recommends', 'rabbitmq-server'];
    // A fresh container has no package lists. Elsewhere the update is not needed.
    if (!runApt(install, logFile)) {
      runApt(['update'], logFile);
      if (!runApt(install, logFile)) {
        throw new Error(
          `apt-get could not install rabbitmq-server; log: ${logFile}\n${readLogTail(logFile)}\n` +
            'Install RabbitMQ yourself, or set AMQP_URL to a running one.',
        );
      }
    }
  } finally {
    allowServiceStarts();
    for (const link of newLinks) rmSync(link, { force: true });
    if (!hadNode) spawnSync('update-rc.d', ['rabbitmq-server', 'disable'], { stdio: 'ignore' });
  }
}

function runApt(args: string[], logFile: string): boolean {
  const log = openSync(logFile, 'a', 0o600);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // The lock timeout (300 s) makes apt wait for a concurrent apt instead of failing. setsid starts a separate session,
  // so that Ctrl-C does not interrupt dpkg.
  const command = ['--wait', 'apt-get', '-o', 'DPkg::Lock::Timeout=300', ...args];
  const { status } = spawnSync('setsid', command, { stdio: ['ignore', log, log], env });
  closeSync(log);
  return status === 0;
}

const ourPolicy = '#!/bin/sh\n# By Tocsin, while it installs rabbitmq-server.\nexit 101\n';

function forbidServiceStarts(): void {
  if (existsSync(policy) && readFileSync(policy, 'utf8') !== ourPolicy) renameSync(policy, policyAside);
  writeFileSync(policy, ourPolicy, { mode: 0o755 });
}

function allowServiceStarts(): void {
  rmSync(policy, { force: true });
  if (existsSync(policyAside)) renameSync(policyAside, policy);
}

/** Tells whether a file or link exists; true for a dangling link, too. */
function existsAsLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Instructions for systems where the launcher cannot install RabbitMQ. */
export const howToInstall = [
  'RabbitMQ (3.10 or newer, with its Erlang) is not installed. Either',
  '  - Debian, Ubuntu: sudo apt-get install rabbitmq-server   (or run this once as root, which installs it)',
  '  - Fedora, RHEL:   sudo dnf install rabbitmq-server',
  '  - macOS:          brew install rabbitmq',
  '  - or set AMQP_URL=amqp://user:password@host:5672 to use one that runs elsewhere.',
  'Only its files are used: no system service is started.',
].join('\n');
