import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from './start-stack.js';

export interface Service {
  name: string;
  pid: number;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  /** Unique among those that run. */
  name: string;
  script: string;
  ports: { http: number; metrics: number };
  env: Record<string, string>;
  /** Taken by Node itself, such as `--cpu-prof`. */
  nodeOptions?: string[];
}

const readyWithinMs = 30_000;

/** Starts a service as it is shipped and resolves when it says that it is ready. */
export async function startService(stack: Stack, options: ServiceOptions): Promise<Service> {
  const { name, script, ports, env, nodeOptions = [] } = options;
  const child = await stack.processes.start({
    name,
    command: process.execPath,
    args: [...nodeOptions, script],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(ports.http),
      METRICS_PORT: String(ports.metrics),
      DATABASE_URL: stack.databaseUrl,
      AMQP_URL: stack.amqpUrl,
      EGRESS_ALLOW: '127.0.0.0/8',
      ...env,
    },
    cwd: stack.directory,
    logFile: stack.logOf(name),
  });
  const deadlineMs = performance.now() + readyWithinMs;
  while (!(await isReady(`http://127.0.0.1:${ports.http}/readyz`))) {
    if (performance.now() > deadlineMs) throw new Error(`${name} is not ready:\n${child.logTail()}`);
    await sleep(50);
  }
  return { name, pid: child.pid, stop: () => child.stop() };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
