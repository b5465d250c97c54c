import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const root = new URL('../../../../', import.meta.url);

export function readText(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

export interface ComposeService {
  image: string;
  build?: { context: string; dockerfile: string };
  user?: string;
  restart?: string;
  profiles?: string[];
  command?: string[];
  mem_limit?: string;
  networks?: string[];
  secrets?: (string | { source: string; target: string })[];
  logging?: { driver: string; options: Record<string, string> };
  ports?: string[];
  container_name?: string;
  environment: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  healthcheck?: { test?: string[]; disable?: boolean };
}

interface ComposeFile {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
  networks: Record<string, { internal?: boolean; driver_opts?: Record<string, string> }>;
  secrets: Record<string, { file: string }>;
}

/** Returns the compose file with merged anchors. Variables are not substituted. */
export function readCompose(): ComposeFile {
  const file = parse(readText('docker-compose.yml'), { merge: true }) as ComposeFile;
  for (const service of Object.values(file.services)) service.environment ??= {};
  return file;
}

export function composeService(name: string): ComposeService {
  const service = readCompose().services[name];
  if (service === undefined) throw new Error(`The compose file has no service ${name}.`);
  return service;
}

/** Returns the mounted secrets of a service: path in the container and name of the secret. */
export function mountedSecrets(name: string): { path: string; secret: string }[] {
  return (composeService(name).secrets ?? []).map((entry) => {
    const { source, target } = typeof entry === 'string' ? { source: entry, target: entry } : entry;
    return { path: target.startsWith('/') ? target : `/run/secrets/${target}`, secret: source };
  });
}

const variable = /\$\{([A-Z_]+)(?:(:?[-?])([^}]*))?\}/g;

export interface Use {
  name: string;
  required: boolean;
  /** Default value of the variable, or an empty string. */
  fallback: string;
}

export function variablesIn(text: string): Use[] {
  return [...text.matchAll(variable)].map(([, name = '', operator = '', rest = '']) => ({
    name,
    required: operator.endsWith('?'),
    fallback: operator.endsWith('-') ? rest : '',
  }));
}

/** Substitutes variables as docker compose does. Throws if a required variable is missing. */
export function interpolate(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(variable, (_, name: string, operator = '', rest = '') => {
    const value = env[name];
    const missing = value === undefined || (operator.startsWith(':') && value === '');
    if (!missing) return value;
    if (operator.endsWith('?')) throw new Error(`${name} is required: ${rest}`);
    return rest;
  });
}
