import { join } from 'node:path';
import { startInboxProcess } from '../inbox/start-inbox-process.js';
import { startProviderProcess } from '../oidc/start-provider-process.js';
import { startPostgres } from '../postgres/start-postgres.js';
import type { Child, ProcessHost } from '../processes/process-host.js';
import type { InstalledRabbitmq } from '../rabbitmq/find-rabbitmq.js';
import { ensureRabbitmqInstalled, startRabbitmq } from '../rabbitmq/start-rabbitmq.js';
import type { LauncherOptions } from './options.js';
import type { StackPorts } from './ports.js';
import type { Secrets, StatePaths } from './state.js';

export const deviceClientId = 'tocsin-cli';
export const consoleClientId = 'tocsin-console';
/** Address of `npm run dev -w services/console`, as configured in its vite.config.ts. */
const consoleDevServer = 'http://127.0.0.1:5173';

export interface InfrastructureOptions {
  options: LauncherOptions;
  ports: StackPorts;
  paths: StatePaths;
  secrets: Secrets;
  processes: ProcessHost;
  /** Starts a process and restarts it after each exit. */
  run: (name: string, start: () => Promise<Child>) => Promise<void>;
  /** Migrates the database. It is called as soon as the database responds, while other processes are still starting. */
  migrate: (databaseUrl: string) => Promise<void>;
  say: (message: string) => void;
}

export interface Infrastructure {
  databaseUrl: string;
  amqpUrl: string;
  issuer: string;
}

/**
 * Starts database, broker, identity provider and inbox in parallel. A database, broker or provider with a configured
 * address is not started.
 */
export async function startInfrastructure(context: InfrastructureOptions): Promise<Infrastructure> {
  const { options, ports, paths, secrets, processes, run, migrate, say } = context;
  const logOf = (name: string) => join(paths.logs, `${name}.log`);
  // A missing RabbitMQ is installed before the other servers start. The installation blocks the event loop, so it would
  // extend the start times that the launcher prints for the other servers.
  const rabbitmq = options.amqpUrl ?? ensureRabbitmqInstalled(logOf('apt'), say);

  const keep = async (name: string, start: () => Promise<{ child: Child; url: string }>): Promise<string> => {
    let url = '';
    await run(name, async () => {
      const started = await start();
      url = started.url;
      return started.child;
    });
    return url;
  };

  const startDatabase = () =>
    startPostgres({
      processes,
      directory: paths.postgres,
      logFile: logOf('postgres'),
      port: ports.postgres,
      durable: true,
      database: 'tocsin',
    });
  const startBroker = (installed: InstalledRabbitmq) =>
    startRabbitmq({
      processes,
      installed,
      directory: paths.rabbitmq,
      logFile: logOf('rabbitmq'),
      ports: { amqp: ports.rabbitmq, epmd: ports.epmd, distribution: ports.erlangDistribution },
    });
  const startOidc = () =>
    startProviderProcess({
      processes,
      directory: paths.oidc,
      logFile: logOf('oidc'),
      settings: providerSettings(options, ports, secrets),
    });

  const migrated = async (url: string) => {
    await migrate(url);
    return url;
  };
  const [databaseUrl, amqpUrl, issuer] = await Promise.all([
    (async () => migrated(options.databaseUrl ?? (await keep('postgres', startDatabase))))(),
    typeof rabbitmq === 'string' ? rabbitmq : keep('rabbitmq', () => startBroker(rabbitmq)),
    options.oidcIssuer ?? keep('oidc', startOidc),
    run('inbox', () => startInboxProcess(processes, ports.inbox, logOf('inbox'))),
  ]);
  return { databaseUrl, amqpUrl, issuer };
}

function providerSettings(options: LauncherOptions, ports: StackPorts, secrets: Secrets) {
  const served = ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${ports.webhookApi}`);
  const origins = [...served, consoleDevServer];
  const consolePaths = ['/', '/console', '/console/', '/console/callback'];
  return {
    port: ports.oidc,
    realm: 'tocsin',
    accounts: secrets.people,
    audience: ['tocsin-api'],
    engineAudience: ['tocsin-engine'],
    accessTokenTtlSeconds: options.accessTokenTtlSeconds,
    refreshTokenTtlSeconds: 12 * 3600,
    rotateRefreshTokens: true,
    deviceClientId: deviceClientId,
    consoleClientId: consoleClientId,
    consoleRedirectUris: origins.flatMap((origin) => consolePaths.map((path) => `${origin}${path}`)),
  };
}
