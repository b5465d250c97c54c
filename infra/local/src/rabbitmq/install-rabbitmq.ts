import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { installPackages } from '../debian/install-packages.js';
import { readLogTail } from '../processes/process-host.js';

const policy = '/usr/sbin/policy-rc.d';
const policyAside = '/usr/sbin/policy-rc.d.before-tocsin';
const unitLinks = [
  '/etc/systemd/system/multi-user.target.wants/rabbitmq-server.service',
  '/etc/systemd/system/multi-user.target.wants/epmd.service',
  '/etc/systemd/system/sockets.target.wants/epmd.socket',
];

/**
 * Installs the distribution's package without its system service: a policy forbids service starts during the
 * installation, and the links that would start it at boot are removed.
 */
export function installRabbitmq(logFile: string): void {
  const newLinks = unitLinks.filter((link) => !existsAsLink(link));
  const hadNode = existsSync('/etc/init.d/rabbitmq-server');
  forbidServiceStarts();
  try {
    if (!installPackages(['rabbitmq-server'], logFile)) {
      throw new Error(
        `apt-get could not install rabbitmq-server; log: ${logFile}\n${readLogTail(logFile)}\n` +
          'Install RabbitMQ yourself, or set AMQP_URL to a running one.',
      );
    }
  } finally {
    allowServiceStarts();
    for (const link of newLinks) rmSync(link, { force: true });
    if (!hadNode) spawnSync('update-rc.d', ['rabbitmq-server', 'disable'], { stdio: 'ignore' });
  }
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
