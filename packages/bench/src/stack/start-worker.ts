import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePorts } from '@tocsin/local';
import type { Stack } from './start-stack.js';

export interface Worker {
  name: string;
  pid: number;
  stop(): Promise<void>;
}

export interface WorkerOptions {
  name: string;
  secretsKeys: string;
  /** Taken by Node itself, such as `--cpu-prof`. */
  nodeOptions?: string[];
  env?: Record<string, string>;
}

const main = fileURLToPath(import.meta.resolve('../../../../services/delivery-worker/dist/main.js'));
const readyWithinMs = 30_000;

/** Starts a delivery worker as it is shipped and resolves when it says that it is ready. */
export async function startWorker(stack: Stack, options: WorkerOptions): Promise<Worker> {
  const [port = 0, metricsPort = 0] = await findFreePorts(2);
  const child = await stack.processes.start({
    name: options.name,
    command: process.execPath,
    args: [...(options.nodeOptions ?? []), main],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      DATABASE_URL: stack.databaseUrl,
      AMQP_URL: stack.amqpUrl,
      SECRETS_KEYS: options.secretsKeys,
      EGRESS_ALLOW: '127.0.0.0/8',
      ...options.env,
    },
    cwd: stack.directory,
    logFile: stack.logOf(options.name),
  });
  const deadlineMs = performance.now() + readyWithinMs;
  while (!(await isReady(`http://127.0.0.1:${port}/readyz`))) {
    if (performance.now() > deadlineMs) throw new Error(`${options.name} is not ready:\n${child.logTail()}`);
    await sleep(50);
  }
  return { name: options.name, pid: child.pid, stop: () => child.stop() };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
