import { fileURLToPath } from 'node:url';
import { findFreePorts } from '@tocsin/local';
import { type Service, startService } from './start-service.js';
import type { Stack } from './start-stack.js';

export interface WorkerOptions {
  name: string;
  secretsKeys: string;
  /** Taken by Node itself, such as `--cpu-prof`. */
  nodeOptions: string[];
  env?: Record<string, string>;
}

const script = fileURLToPath(import.meta.resolve('../../../../services/delivery-worker/dist/main.js'));

export async function startWorker(stack: Stack, options: WorkerOptions): Promise<Service> {
  const { name, secretsKeys, nodeOptions, env } = options;
  const [http = 0, metrics = 0] = await findFreePorts(2);
  return startService(stack, {
    name,
    script,
    ports: { http, metrics },
    env: { SECRETS_KEYS: secretsKeys, ...env },
    nodeOptions,
  });
}
