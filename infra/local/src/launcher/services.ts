import { join } from 'node:path';
import type { Child, ProcessHost } from '../processes/process-host.js';
import { fetchOk, waitUntil } from '../processes/wait-until.js';
import type { StackPorts } from './ports.js';
import type { Secrets } from './state.js';

export interface ServiceSpec {
  /** Unique name. If there are several workers, their names end with a number. */
  name: string;
  kind: 'webhook-api' | 'engine-auth' | 'delivery-worker' | 'migrations';
  /** Path relative to the root folder of the repository. */
  script: string;
  port: number;
  env: NodeJS.ProcessEnv;
}

export interface ServiceSurroundings {
  /** Environment of the launcher, which can contain settings for services. */
  inherited: NodeJS.ProcessEnv;
  ports: StackPorts;
  secrets: Secrets;
  databaseUrl: string;
  amqpUrl: string;
  issuer: string;
}

/**
 * Node.js options of all services, as in the container image.
 *
 * - `--v8-pool-size=1`: V8 marks live objects in background threads for about 40 ms, every 2,000 deliveries of a worker.
 *   By default V8 uses four threads, so on two cores all other work waits during this time. One thread lowers the p99
 *   latency by a quarter and does not change the throughput.
 * - `--no-allocation-site-pretenuring`: under load, most objects of a delivery survive a garbage collection. By default,
 *   V8 may then create such objects in the memory for old objects. There they end only with the next marking, so V8
 *   marks up to every 0.7 s, and a worker needs up to twice the CPU time.
 */
export const serviceNodeOptions = ['--v8-pool-size=1', '--no-allocation-site-pretenuring'];

// Loopback addresses are allowed as destinations, because the inbox listens on 127.0.0.1. By default they are blocked.
export const quickStartEgress = '127.0.0.0/8,::1/128';

export function describeServices(surroundings: ServiceSurroundings): ServiceSpec[] {
  const { inherited, ports, secrets, databaseUrl, amqpUrl, issuer } = surroundings;
  const settings = withoutNpm(inherited);
  const at = (port: number, metricsPort: number): NodeJS.ProcessEnv => ({
    LOG_LEVEL: 'info',
    PUBLIC_URL: `http://127.0.0.1:${ports.webhookApi}`,
    EGRESS_ALLOW: quickStartEgress,
    SECRETS_KEYS: secrets.secretsKeys,
    GENAI_ENGINE_ADMIN_KEY: secrets.engineAdminKey,
    ...settings,
    HOST: '127.0.0.1',
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    DATABASE_URL: databaseUrl,
    AMQP_URL: amqpUrl,
  });
  return [
    {
      name: 'webhook-api',
      kind: 'webhook-api',
      script: 'services/webhook-api/dist/main.js',
      port: ports.webhookApi,
      env: { ...at(ports.webhookApi, ports.webhookApiMetrics), OIDC_ISSUER: issuer },
    },
    {
      name: 'engine-auth',
      kind: 'engine-auth',
      script: 'services/engine-auth/dist/main.js',
      port: ports.engineAuth,
      env: { ...at(ports.engineAuth, ports.engineAuthMetrics), OIDC_ISSUER: issuer },
    },
    ...ports.workers.map(
      ({ health, metrics }, index): ServiceSpec => ({
        kind: 'delivery-worker',
        name: ports.workers.length === 1 ? 'delivery-worker' : `delivery-worker-${index + 1}`,
        script: 'services/delivery-worker/dist/main.js',
        port: health,
        env: at(health, metrics),
      }),
    ),
  ];
}

/** Removes NODE_OPTIONS and the variables that npm sets for scripts, so that services do not inherit them. */
function withoutNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(npm_|INIT_CWD$|NODE_OPTIONS$)/i.test(name)),
  );
}

export interface ServiceRunner {
  processes: ProcessHost;
  repository: string;
  logs: string;
}

export function startService(
  { processes, repository, logs }: ServiceRunner,
  spec: ServiceSpec,
): Promise<Child> {
  return processes.start({
    name: spec.name,
    command: process.execPath,
    args: [...serviceNodeOptions, join(repository, spec.script)],
    env: spec.env,
    cwd: repository,
    logFile: join(logs, `${spec.name}.log`),
  });
}

/** Resolves when the service is ready. Throws with the last lines of its log if it exits or takes too long. */
export async function waitForService(spec: ServiceSpec, child: Child): Promise<void> {
  await waitUntil(() => fetchOk(`http://127.0.0.1:${spec.port}/readyz`), {
    what: spec.name,
    timeoutMs: 60_000,
    child,
  });
}

/** Runs the migrations of the database. */
export async function migrate(runner: ServiceRunner, databaseUrl: string): Promise<void> {
  const child = await startService(runner, {
    name: 'migrations',
    kind: 'migrations',
    script: 'packages/database/dist/migrate.js',
    port: 0,
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
  });
  const { code, signal } = await child.exited;
  if (code === 0) return;
  throw new Error(
    `the migrations ${signal ?? `ended with code ${code}`}; log: ${child.logFile}\n${child.logTail()}`,
  );
}
