import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig as loadWorker } from '../../../../services/delivery-worker/src/config.js';
import { loadConfig as loadEngine } from '../../../../services/engine-auth/src/config.js';
import { loadConfig as loadApi } from '../../../../services/webhook-api/src/config.js';
import { readText } from './compose.js';

type Environment = Record<string, string | undefined>;

export const loaders: Record<string, (env: Environment) => object> = {
  'webhook-api': loadApi,
  'engine-auth': loadEngine,
  'delivery-worker': loadWorker,
};

/** Required variables of every service. */
export const least: Record<string, string> = {
  DATABASE_URL: 'postgres://127.0.0.1/tocsin',
  AMQP_URL: 'amqp://127.0.0.1',
  OIDC_ISSUER: 'http://localhost:8180/realms/tocsin',
  SECRETS_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
};

/** Names of the variables that a service reads. */
export function variablesReadBy(service: string): Set<string> {
  const names = new Set<string>();
  const recording = new Proxy<Environment>(least, {
    get(env, name) {
      names.add(String(name));
      return env[String(name)];
    },
  });
  loaders[service]?.(recording);
  // A variable of Node, which no configuration may contain.
  names.delete('NODE_TLS_REJECT_UNAUTHORIZED');
  return names;
}

export interface Example {
  name: string;
  value: string;
  /** True for a commented line, which shows the default. */
  commented: boolean;
  sentence: string;
}

/** Entries of .env.example. */
export function readExamples(): Example[] {
  const lines = readText('.env.example').split('\n');
  return lines.flatMap((line, index) => {
    const [, hash, name = '', value = ''] = /^(# )?([A-Z_]+)=(.*)$/.exec(line) ?? [];
    if (name === '') return [];
    return [{ name, value, commented: hash !== undefined, sentence: lines[index - 1] ?? '' }];
  });
}

export const makeEnvScript = fileURLToPath(new URL('../../../make-env.js', import.meta.url));

/** The file that `node infra/make-env.js` writes, as docker compose reads it. */
export function makeEnv(): Record<string, string> {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-env-'));
  const file = join(directory, '.env');
  execFileSync(process.execPath, [makeEnvScript, file], { stdio: 'ignore' });
  const text = readFileSync(file, 'utf8');
  rmSync(directory, { recursive: true });
  const pairs = [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]);
  return Object.fromEntries(pairs);
}
