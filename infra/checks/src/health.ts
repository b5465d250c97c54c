import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts } from '@tocsin/local';
import type { BuiltImage } from './build-image.js';

const waitMs = 20_000;

/**
 * Starts a service from the image, waits until the health check of the image passes, and stops the service with
 * SIGTERM. Returns undefined, or a message if one of these steps fails.
 */
export async function checkHealth(image: BuiltImage, service: string): Promise<string | undefined> {
  const [port] = await findFreePorts(1);
  const env = { PATH: process.env.PATH, ...image.env, ...nowhere, PORT: String(port), METRICS_PORT: '0' };
  const [command = '', ...words] = [...image.entrypoint, `services/${service}/dist/main.js`];
  const child = spawn(command, words, { cwd: image.directory, env, stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.resume();
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  try {
    const [check = '', ...rest] = image.healthcheck;
    const deadlineMs = Date.now() + waitMs;
    while (spawnSync(check, rest, { cwd: image.directory, env }).status !== 0) {
      if (child.exitCode !== null) return `ended with code ${child.exitCode}`;
      if (Date.now() > deadlineMs) return 'does not pass its health check';
      await sleep(100);
    }
    child.kill('SIGTERM');
    const code = await ended;
    return code === 0 ? undefined : `ended with code ${code} on SIGTERM`;
  } finally {
    child.kill('SIGKILL');
  }
}

/**
 * Addresses on which no server listens. The health check must pass without the database, the broker and the identity
 * provider.
 */
const nowhere = {
  HOST: '127.0.0.1',
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
  AMQP_URL: 'amqp://127.0.0.1:1',
  OIDC_ISSUER: 'http://127.0.0.1:1/realms/tocsin',
  SECRETS_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
};
