import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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

/** Minimal valid environment: a value for each variable that at least one service requires. */
export const least: Record<string, string> = {
  DATABASE_URL: 'postgres://127.0.0.1/tocsin',
  AMQP_URL: 'amqp://127.0.0.1',
  OIDC_ISSUER: 'http://localhost:8180/realms/tocsin',
  SECRETS_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
};

/**
 * Variables that contain secrets. Instead of NAME, a service also accepts NAME_FILE, the path of a file with the value.
 */
export const secretVariables = ['DATABASE_URL', 'AMQP_URL', 'SECRETS_KEYS', 'GENAI_ENGINE_ADMIN_KEY'];

/**
 * Returns the names of the variables that a service reads. For a secret the result contains NAME, but not NAME_FILE.
 */
export function variablesReadBy(service: string): Set<string> {
  const names = new Set<string>();
  const recording = new Proxy<Environment>(least, {
    get(env, name) {
      names.add(String(name));
      return env[String(name)];
    },
  });
  loaders[service]?.(recording);
  // Services check these variables of Node.js and pg only to reject one value of each.
  names.delete('NODE_TLS_REJECT_UNAUTHORIZED');
  names.delete('PGSSLMODE');
  for (const name of secretVariables) names.delete(`${name}_FILE`);
  return names;
}

export interface Example {
  name: string;
  value: string;
  /** True if the line is commented out (`# NAME=value`). A commented-out line shows the default value. */
  commented: boolean;
  sentence: string;
}

/** Returns the entries of .env.example. */
export function readExamples(): Example[] {
  const lines = readText('.env.example').split('\n');
  return lines.flatMap((line, index) => {
    const [, hash, name = '', value = ''] = /^(# )?([A-Z_]+)=(.*)$/.exec(line) ?? [];
    if (name === '') return [];
    return [{ name, value, commented: hash !== undefined, sentence: lines[index - 1] ?? '' }];
  });
}

export const makeEnvScript = fileURLToPath(new URL('../../../make-env.js', import.meta.url));

export interface Deployment {
  /** Variables of .env. */
  env: Record<string, string>;
  /** Content of the files in secrets/, by file name. */
  secrets: Record<string, string>;
}

/** Runs `node infra/make-env.js` and returns the files that it writes. */
export function makeDeployment(): Deployment {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-env-'));
  execFileSync(process.execPath, [makeEnvScript, directory], { stdio: 'ignore' });
  const text = readFileSync(join(directory, '.env'), 'utf8');
  const pairs = [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]);
  const folder = join(directory, 'secrets');
  const secrets = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8').trim()]);
  rmSync(directory, { recursive: true });
  return { env: Object.fromEntries(pairs), secrets: Object.fromEntries(secrets) };
}
