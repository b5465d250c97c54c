import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'amqplib';
import { canInstallPackages } from '../debian/install-packages.js';
import type { Child, ProcessHost } from '../processes/process-host.js';
import { waitUntilReady } from '../processes/wait-until.js';
import { findRabbitmq, type InstalledRabbitmq } from './find-rabbitmq.js';
import { howToInstall, installRabbitmq } from './install-rabbitmq.js';
import { prepareNodeFiles, type RabbitmqPorts } from './node-files.js';

interface RabbitmqOptions {
  processes: ProcessHost;
  /** Directory for data and secrets of the node. It is created if it is missing. */
  directory: string;
  logFile: string;
  /** Ports on 127.0.0.1. */
  ports: RabbitmqPorts;
  /** Virtual hosts in addition to `/`. */
  virtualHosts?: string[];
  /** Maximum size of a message in bytes. By default, the limit in infra/rabbitmq/20-tocsin.conf. */
  maxMessageBytes?: number;
  /** Name of the node. By default `tocsin@localhost`. */
  nodeName?: string;
  /**
   * File that stores the password of the user and the Erlang cookie. All nodes of a cluster must use the same file. By
   * default, each node has its own file in `directory`.
   */
  secretsFile?: string;
  /** Lines that are added to the default configuration of the node. */
  settings?: readonly string[];
}

type InstalledOptions = RabbitmqOptions & { installed: InstalledRabbitmq };

export interface RunningRabbitmq {
  /** Process of the node. If `startRabbitmq` has started it, stopping it also stops its epmd (Erlang's port mapper). */
  child: Child;
  url: string;
}

/**
 * Returns the installed RabbitMQ, or installs it if possible. `say` is called with progress messages.
 * @throws Error with instructions if RabbitMQ is missing and cannot be installed
 */
export function ensureRabbitmqInstalled(logFile: string, say: (message: string) => void): InstalledRabbitmq {
  const searchPath = process.env.PATH;
  const found = findRabbitmq(searchPath);
  if (found !== undefined) return found;
  if (!canInstallPackages()) throw new Error(howToInstall);
  say(
    'RabbitMQ is not installed: installing the distribution’s rabbitmq-server (files only, no system service)',
  );
  installRabbitmq(logFile);
  const installed = findRabbitmq(searchPath);
  if (installed === undefined)
    throw new Error(`rabbitmq-server was installed, but cannot be found; log: ${logFile}`);
  return installed;
}

/**
 * Starts a private node. Resolves when it accepts AMQP connections. If it does not start, throws an error with the last
 * lines of its log.
 */
export async function startRabbitmq(options: InstalledOptions): Promise<RunningRabbitmq> {
  const epmd = await startEpmd(options);
  try {
    const { child, url } = await startRabbitmqNode(options);
    return { child: withEpmd(child, epmd), url };
  } catch (error) {
    await epmd.stop();
    throw error;
  }
}

/** Starts a node that uses a running epmd. All nodes of a cluster share one epmd. */
export async function startRabbitmqNode(options: InstalledOptions): Promise<RunningRabbitmq> {
  const { processes, directory, logFile, ports } = options;
  const { username, password, env } = prepareNodeFiles(directory, ports, options);
  const node = await processes.start({
    name: 'rabbitmq',
    command: options.installed.server,
    args: [],
    env,
    cwd: directory,
    logFile,
  });
  const url = `amqp://${username}:${password}@127.0.0.1:${ports.amqp}`;
  const limits = { timeoutMs: 90_000, intervalMs: 100 };
  await waitUntilReady(node, () => connectOnce(url), { what: 'RabbitMQ', ...limits });
  return { child: node, url };
}

export interface Epmd {
  stop(): Promise<void>;
}

type EpmdOptions = Pick<InstalledOptions, 'processes' | 'directory' | 'installed'> & {
  ports: { epmd: number };
};

/**
 * Starts epmd, Erlang's port mapper, in the foreground on a separate port. Without it, the node would start an epmd
 * daemon that keeps running after the node has ended. epmd must be started before the node, and is restarted after each
 * exit.
 */
export async function startEpmd({ processes, directory, ports, installed }: EpmdOptions): Promise<Epmd> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  let stopping = false;
  const startOne = () =>
    processes.start({
      name: 'epmd',
      command: installed.epmd,
      args: ['-port', String(ports.epmd), '-address', '127.0.0.1'],
      env: { PATH: installed.path, HOME: directory },
      cwd: directory,
      logFile: join(directory, 'epmd.log'),
    });
  let current = await startOne();
  const watch = () => {
    current.exited
      .then(async () => {
        if (stopping) return;
        current = await startOne();
        watch();
      })
      // During the shutdown of the stack, starting a process fails. The error is ignored, because the node then no
      // longer needs epmd.
      .catch(() => {});
  };
  watch();
  return {
    stop: () => {
      stopping = true;
      return current.stop();
    },
  };
}

function withEpmd(node: Child, epmd: Epmd): Child {
  const exited = node.exited.then(async (exit) => {
    await epmd.stop();
    return exit;
  });
  return {
    ...node,
    exited,
    stop: async (graceMs) => {
      await node.stop(graceMs);
      await exited;
    },
  };
}

async function connectOnce(url: string): Promise<void> {
  const connection = await connect(url, { timeout: 5_000 });
  await connection.close();
}
