import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePorts, type ProcessHost, serviceNodeOptions } from '@tocsin/local';
import { startTcpProxy, type TcpProxy } from '@tocsin/testing';
import { type ManagedProcess, startManagedProcess } from './managed-process.js';
import type { BrokerServer, DatabaseServer } from './servers.js';

/** The members of a test bed that a service needs. */
export interface ServiceHost {
  processes: ProcessHost;
  /** Temporary working directory of the services. It is removed when the test bed stops. */
  directory: string;
  logFile(name: string): string;
  postgres: DatabaseServer;
  rabbitmq: BrokerServer;
  /** Value of the setting SECRETS_KEYS for all services. */
  secretsKeys: string;
}

type ServiceKind = 'delivery-worker' | 'webhook-api' | 'engine-auth';

export interface ServiceOptions {
  kind: ServiceKind;
  /** Name of the process and of its log file. By default `kind`. */
  name?: string;
  env?: Record<string, string>;
  /** Additional options for Node.js itself, for example `--cpu-prof`. */
  nodeOptions?: readonly string[];
  /** URLs of the database and the broker. By default, those of the test bed. */
  databaseUrl?: string;
  amqpUrl?: string;
}

export interface ServiceProcess extends ManagedProcess {
  readonly httpUrl: string;
  /**
   * Waits until the process has ended, which the caller must cause, and starts it again with changed environment
   * variables. Resolves when `/livez` returns 200, even if the process is not ready. A later `restart` uses the
   * original variables.
   */
  restartWith(changed: Record<string, string>): Promise<void>;
}

/** A service that connects to the database and to the broker through one TCP proxy each. */
export interface ProxiedService extends ServiceProcess {
  readonly database: TcpProxy;
  readonly broker: TcpProxy;
}

/** Compiled entry points of the services. The container image uses the same ones. */
const scripts: Record<ServiceKind, string> = {
  'delivery-worker': import.meta.resolve('../../../../services/delivery-worker/dist/main.js'),
  'webhook-api': import.meta.resolve('../../../../services/webhook-api/dist/main.js'),
  'engine-auth': import.meta.resolve('../../../../services/engine-auth/dist/main.js'),
};
const readyTimeoutMs = 30_000;

/** Starts a service. Resolves when `/readyz` returns 200. */
export async function startService(host: ServiceHost, options: ServiceOptions): Promise<ServiceProcess> {
  const { kind, name = kind, env = {}, nodeOptions = [] } = options;
  const [port = 0, metricsPort = 0] = await findFreePorts(2);
  const httpUrl = `http://127.0.0.1:${port}`;
  const start = async ({ changed = {}, until = '/readyz' }: StartOptions = {}) => {
    const child = await host.processes.start({
      name,
      command: process.execPath,
      args: [...serviceNodeOptions, ...nodeOptions, fileURLToPath(scripts[kind])],
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        DATABASE_URL: options.databaseUrl ?? host.postgres.url,
        AMQP_URL: options.amqpUrl ?? host.rabbitmq.url,
        SECRETS_KEYS: host.secretsKeys,
        EGRESS_ALLOW: '127.0.0.0/8',
        ...(kind === 'webhook-api' ? { OIDC_AUDIENCE: 'tocsin-api', PUBLIC_URL: httpUrl } : {}),
        ...(kind === 'engine-auth' ? { OIDC_AUDIENCE: 'tocsin-engine' } : {}),
        ...env,
        ...changed,
      },
      cwd: host.directory,
      logFile: host.logFile(name),
    });
    await waitUntilOk(`${httpUrl}${until}`, child);
    return child;
  };
  const service = await startManagedProcess(name, start);
  return {
    ...service,
    httpUrl,
    restartWith: (changed) => service.restart(() => start({ changed, until: '/livez' })),
  };
}

interface StartOptions {
  /** Environment variables. They are added to those of the service, or replace those with the same name. */
  changed?: Record<string, string>;
  /** Path that must return 200 before the service counts as started. */
  until?: '/livez' | '/readyz';
}

export async function startProxiedService(
  host: ServiceHost,
  options: ServiceOptions,
): Promise<ProxiedService> {
  const database = await startTcpProxy(host.postgres.url);
  const broker = await startTcpProxy(host.rabbitmq.url);
  const service = await startService(host, {
    ...options,
    databaseUrl: database.url,
    amqpUrl: broker.url,
  });
  return {
    ...service,
    database,
    broker,
    async stop() {
      await service.stop();
      await Promise.all([database.close(), broker.close()]);
    },
  };
}

async function waitUntilOk(
  url: string,
  child: { name: string; exited: Promise<unknown>; logTail(): string },
): Promise<void> {
  const deadlineMs = performance.now() + readyTimeoutMs;
  let hasExited = false;
  void child.exited.then(() => {
    hasExited = true;
  });
  while (!(await isOk(url))) {
    if (hasExited || performance.now() > deadlineMs)
      throw new Error(`${child.name} does not respond at ${url}:\n${child.logTail()}`);
    await sleep(50);
  }
}

async function isOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}
