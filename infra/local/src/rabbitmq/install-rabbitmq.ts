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

/** Debian and what descends from it, as root. */
export function canInstallRabbitmq(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get') && existsSync('/etc/debian_version');
}

/**
 * Installs the distribution's package, and sees that no system service comes with it: neither now (a policy that
 * forbids starts, for the duration) nor at the next boot (the links that the package makes are taken out again).
 */
export function installRabbitmq(logFile: string): void {
  const newLinks = unitLinks.filter((link) => !isThere(link));
  const hadNode = existsSync('/etc/init.d/rabbitmq-server');
  forbidServiceStarts();
  try {
    const install = ['install', '-y', '--no-install-recommends', 'rabbitmq-server'];
    // A fresh container has no package lists; a machine that has them saves the time.
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
  // Another apt may be at work on this machine; wait for it rather than fail.
  // In a session of its own: Ctrl-C must not leave dpkg half done.
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

/** Also true for a link that points to nothing. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** What a person can do where we may not install it. */
export const howToInstall = [
  'RabbitMQ (3.10 or newer, with its Erlang) is not installed. Either',
  '  - Debian, Ubuntu: sudo apt-get install rabbitmq-server   (or run this once as root, which installs it)',
  '  - Fedora, RHEL:   sudo dnf install rabbitmq-server',
  '  - macOS:          brew install rabbitmq',
  '  - or set AMQP_URL=amqp://user:password@host:5672 to use one that runs elsewhere.',
  'Only its files are used: no system service is started.',
].join('\n');
