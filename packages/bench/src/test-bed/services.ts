import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePorts } from '@tocsin/local';
import { startTcpProxy, type TcpProxy } from '@tocsin/testing';
import { type Part, startPart } from './managed-process.js';
import type { Stack } from './start-stack.js';

/** A service as it is shipped, with a wire of its own to the database and to the broker. */
export interface ServicePart extends Part {
  readonly httpUrl: string;
  readonly database: TcpProxy;
  readonly broker: TcpProxy;
}

export interface ServiceSettings {
  processes: Stack['processes'];
  directory: string;
  logOf: (name: string) => string;
  databaseUrl: string;
  amqpUrl: string;
  env: Record<string, string>;
  /** Taken by Node itself. */
  nodeOptions: string[];
}

const scripts = {
  worker: fileURLToPath(import.meta.resolve('../../../../services/delivery-worker/dist/main.js')),
  api: fileURLToPath(import.meta.resolve('../../../../services/webhook-api/dist/main.js')),
};
const readyWithinMs = 30_000;

export async function startServicePart(
  name: string,
  kind: keyof typeof scripts,
  settings: ServiceSettings,
): Promise<ServicePart> {
  const { processes, directory, logOf, env, nodeOptions } = settings;
  const [port = 0, metricsPort = 0] = await findFreePorts(2);
  const database = await startTcpProxy(settings.databaseUrl);
  const broker = await startTcpProxy(settings.amqpUrl);
  const httpUrl = `http://127.0.0.1:${port}`;
  const part = await startPart({
    name,
    readLog: () => readFileSync(logOf(name), 'utf8'),
    async start() {
      const child = await processes.start({
        name,
        command: process.execPath,
        args: [...nodeOptions, scripts[kind]],
        env: {
          PATH: process.env.PATH,
          NODE_ENV: 'production',
          HOST: '127.0.0.1',
          PORT: String(port),
          METRICS_PORT: String(metricsPort),
          DATABASE_URL: database.url,
          AMQP_URL: broker.url,
          EGRESS_ALLOW: '127.0.0.0/8',
          LOG_LEVEL: 'warn',
          ...env,
        },
        cwd: directory,
        logFile: logOf(name),
      });
      await waitUntilReady(httpUrl, child);
      return child;
    },
  });
  return {
    ...part,
    httpUrl,
    database,
    broker,
    async stop() {
      await part.stop();
      await Promise.all([database.close(), broker.close()]);
    },
  };
}

async function waitUntilReady(
  httpUrl: string,
  child: { name: string; exited: Promise<unknown>; logTail(): string },
): Promise<void> {
  const deadlineMs = performance.now() + readyWithinMs;
  let ended = false;
  void child.exited.then(() => {
    ended = true;
  });
  while (!(await isReady(httpUrl))) {
    if (ended || performance.now() > deadlineMs)
      throw new Error(`${child.name} is not ready:\n${child.logTail()}`);
    await sleep(100);
  }
}

/** `/readyz` answers 200. */
async function isReady(httpUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${httpUrl}/readyz`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}
