import { join } from 'node:path';
import { startInboxProcess } from '../inbox/start-inbox-process.js';
import { startProviderProcess } from '../oidc/start-provider-process.js';
import { startPostgres } from '../postgres/start-postgres.js';
import { type Child, createProcessHost } from '../processes/process-host.js';
import { type Supervised, supervise } from '../processes/supervise.js';
import { ensureRabbitmqInstalled, startRabbitmq } from '../rabbitmq/start-rabbitmq.js';
import type { LauncherOptions } from './options.js';
import { layOutPorts, requireFreePorts, type StackPorts } from './ports.js';
import type { Progress } from './progress.js';
import { describeServices, migrate, type ServiceSpec, startService, waitForService } from './services.js';
import { removeStackFile, type StackFile, writeStackFile } from './stack-file.js';
import { endStaleProcesses, recordChildren } from './stale-processes.js';
import { readOrMakeSecrets, rotateLogs, type Secrets, type StatePaths } from './state.js';

export interface StackOptions extends LauncherOptions {
  paths: StatePaths;
  /** The checkout whose built services are run. */
  repository: string;
  /** What the services inherit. */
  env: NodeJS.ProcessEnv;
  progress: Progress;
}

export interface Stack {
  /** Resolves when every part is ready; throws with the part, the reason and its log. */
  start(): Promise<StackFile>;
  /** Writes `stack.json`, and again whenever a process id in it changes. */
  publish(): void;
  /** Everything, last started first. Safe to call while it is starting. */
  stop(): Promise<void>;
  /** At once, whatever is lost. */
  kill(): Promise<void>;
}

const REALM = 'tocsin';
const DEVICE_CLIENT = 'tocsin-cli';
const CONSOLE_CLIENT = 'tocsin-console';

export function createStack(options: StackOptions): Stack {
  const { paths, progress, repository, portBase, workers } = options;
  const ports = layOutPorts(portBase, workers);
  const stopping = new AbortController();
  const processes = createProcessHost({ onChange: (children) => recordChildren(paths.children, children) });
  const runner = { processes, repository, logs: paths.logs };
  // In the order in which they are ready, by name.
  const running = new Map<string, Supervised>();
  let published: (() => StackFile) | undefined;
  let isPublished = false;

  const rewrite = () => {
    if (isPublished && published !== undefined && !stopping.signal.aborted)
      writeStackFile(paths.stackFile, published());
  };
  const logOf = (name: string) => join(paths.logs, `${name}.log`);

  /** Starts one part, waits for it, keeps it alive. `ready` is only waited for the first time. */
  const run = async (name: string, start: () => Promise<Child>, ready?: (child: Child) => Promise<void>) => {
    await progress.track(name, async () => {
      const part = await supervise({
        name,
        signal: stopping.signal,
        say: progress.say,
        onRestart: rewrite,
        start: firstThen(start, ready),
      });
      running.set(name, part);
    });
  };

  const runPostgres = async (): Promise<string> => {
    if (options.databaseUrl !== undefined) return options.databaseUrl;
    let url = '';
    await run('postgres', async () => {
      const started = await startPostgres({
        processes,
        directory: paths.postgres,
        logFile: logOf('postgres'),
        port: ports.postgres,
        durable: true,
        database: 'tocsin',
      });
      url = started.url;
      return started.child;
    });
    return url;
  };

  const runRabbitmq = async (): Promise<string> => {
    if (options.amqpUrl !== undefined) return options.amqpUrl;
    const installed = ensureRabbitmqInstalled(logOf('apt'), progress.say);
    let url = '';
    await run('rabbitmq', async () => {
      const started = await startRabbitmq({
        processes,
        installed,
        directory: paths.rabbitmq,
        logFile: logOf('rabbitmq'),
        ports: { amqp: ports.rabbitmq, epmd: ports.epmd, distribution: ports.erlangDistribution },
      });
      url = started.url;
      return started.child;
    });
    return url;
  };

  const runProvider = async (secrets: Secrets): Promise<string> => {
    if (options.oidcIssuer !== undefined) return options.oidcIssuer;
    let issuer = '';
    await run('oidc', async () => {
      const started = await startProviderProcess({
        processes,
        directory: paths.oidc,
        logFile: logOf('oidc'),
        settings: providerSettings(options, ports, secrets),
      });
      issuer = started.issuer;
      return started.child;
    });
    return issuer;
  };

  const runInbox = () => run('inbox', () => startInboxProcess(processes, ports.inbox, logOf('inbox')));

  const runService = (spec: ServiceSpec) =>
    run(
      spec.name,
      () => startService(runner, spec),
      (child) => waitForService(spec, child),
    );

  return {
    async start() {
      const stale = await endStaleProcesses(paths.children);
      if (stale.length > 0) progress.say(`Ended what an earlier start had left: ${stale.join(', ')}`);
      await requireFreePorts(neededPorts(options, ports));
      rotateLogs(paths);
      const secrets = readOrMakeSecrets(paths);
      const [databaseUrl, amqpUrl, issuer] = await Promise.all([
        runPostgres().then(async (url) => {
          await progress.track('migrations', () => migrate(runner, url));
          return url;
        }),
        runRabbitmq(),
        runProvider(secrets),
        runInbox(),
      ]);
      const services = describeServices({
        inherited: options.env,
        ports,
        secrets,
        databaseUrl,
        amqpUrl,
        issuer,
      });
      await Promise.all([services.webhookApi, services.engineAuth, ...services.workers].map(runService));
      published = () =>
        describeStack({
          secrets,
          ports,
          databaseUrl,
          amqpUrl,
          issuer,
          ours: options.oidcIssuer === undefined,
          pidOf: (name) => running.get(name)?.pid() ?? 0,
          workerNames: services.workers.map(({ name }) => name),
        });
      return published();
    },
    publish() {
      isPublished = true;
      rewrite();
    },
    async stop() {
      stopping.abort();
      removeStackFile(paths.stackFile);
      for (const part of [...running.values()].reverse()) await part.stop();
      await processes.killAll();
      processes.close();
    },
    async kill() {
      stopping.abort();
      removeStackFile(paths.stackFile);
      await processes.killAll();
      processes.close();
    },
  };
}

/** A restarted process is watched from its first moment; only at the first start does everybody wait for it. */
function firstThen(
  start: () => Promise<Child>,
  ready?: (child: Child) => Promise<void>,
): () => Promise<Child> {
  let isFirst = true;
  return async () => {
    const child = await start();
    if (isFirst) await ready?.(child);
    isFirst = false;
    return child;
  };
}

function neededPorts(options: LauncherOptions, ports: StackPorts): Map<string, number> {
  return new Map([
    ['webhook-api', ports.webhookApi],
    ['engine-auth', ports.engineAuth],
    ['inbox', ports.inbox],
    ['metrics of webhook-api', ports.webhookApiMetrics],
    ['metrics of engine-auth', ports.engineAuthMetrics],
    ...(options.oidcIssuer === undefined ? ([['oidc', ports.oidc]] as const) : []),
    ...(options.databaseUrl === undefined ? ([['postgres', ports.postgres]] as const) : []),
    ...(options.amqpUrl === undefined
      ? ([
          ['rabbitmq', ports.rabbitmq],
          ['epmd of rabbitmq', ports.epmd],
          ['Erlang distribution of rabbitmq', ports.erlangDistribution],
        ] as const)
      : []),
    ...ports.workers.flatMap(
      ({ health, metrics }, index) =>
        [
          [`delivery-worker ${index + 1}`, health],
          [`metrics of delivery-worker ${index + 1}`, metrics],
        ] as const,
    ),
  ]);
}

function providerSettings(options: LauncherOptions, ports: StackPorts, secrets: Secrets) {
  const api = `http://127.0.0.1:${ports.webhookApi}`;
  return {
    port: ports.oidc,
    realm: REALM,
    directory: secrets.people,
    audience: ['tocsin-api', 'tocsin-engine'],
    accessTokenTtlSeconds: options.accessTokenTtlSeconds,
    refreshTokenTtlSeconds: 12 * 3600,
    rotateRefreshTokens: true,
    deviceClientId: DEVICE_CLIENT,
    consoleClientId: CONSOLE_CLIENT,
    consoleRedirectUris: ['/', '/console', '/console/', '/console/callback'].map((path) => `${api}${path}`),
  };
}

interface StackFacts {
  secrets: Secrets;
  ports: StackPorts;
  databaseUrl: string;
  amqpUrl: string;
  issuer: string;
  /** Whether the provider is ours, and so are its clients and users. */
  ours: boolean;
  pidOf: (name: string) => number;
  workerNames: readonly string[];
}

function describeStack(facts: StackFacts): StackFile {
  const { secrets, ports, databaseUrl, amqpUrl, issuer, ours, pidOf, workerNames } = facts;
  const { authUrl, realm } = splitIssuer(issuer);
  const services = Object.entries(ours ? secrets.people.services : {});
  const users = Object.entries(ours ? secrets.people.users : {});
  return {
    api_url: `http://127.0.0.1:${ports.webhookApi}`,
    engine_url: `http://127.0.0.1:${ports.engineAuth}`,
    auth_url: authUrl,
    realm,
    inbox_url: `http://127.0.0.1:${ports.inbox}`,
    amqp_url: amqpUrl,
    database_url: databaseUrl,
    engine_admin_key: process.env.GENAI_ENGINE_ADMIN_KEY ?? secrets.engineAdminKey,
    workspace_id: secrets.workspaceId,
    other_workspace_id: secrets.otherWorkspaceId,
    clients: Object.fromEntries(
      services.map(([name, { clientId, clientSecret }]) => [
        name,
        { client_id: clientId, client_secret: clientSecret },
      ]),
    ),
    device_client_id: DEVICE_CLIENT,
    console_client_id: CONSOLE_CLIENT,
    users: Object.fromEntries(users.map(([name, { password }]) => [name, password])),
    pids: {
      'webhook-api': pidOf('webhook-api'),
      'engine-auth': pidOf('engine-auth'),
      'delivery-worker': workerNames.map(pidOf),
      postgres: pidOf('postgres'),
      rabbitmq: pidOf('rabbitmq'),
    },
  };
}

/** A Keycloak issuer is `{auth_url}/realms/{realm}`; another provider has no realm. */
function splitIssuer(issuer: string): { authUrl: string; realm: string } {
  const match = /^(.*)\/realms\/([^/]+)\/?$/.exec(issuer);
  return { authUrl: match?.[1] ?? issuer, realm: match?.[2] ?? '' };
}
