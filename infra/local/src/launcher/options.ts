import { parseArgs } from 'node:util';
import { isUuid, messageOf } from '@tocsin/kit';

export interface LauncherOptions {
  sample: boolean;
  workers: number;
  portBase: number;
  /** URLs of servers that are already running. The launcher starts each server whose URL is undefined. */
  databaseUrl: string | undefined;
  amqpUrl: string | undefined;
  oidcIssuer: string | undefined;
  /** Workspace in which the users and clients of `oidcIssuer` have roles. Undefined with the development provider. */
  workspaceId: string | undefined;
  /** Lifetime of an access token of the development provider, in seconds. */
  accessTokenTtlSeconds: number;
}

const maxWorkers = 32;
const defaultPortBase = 8700;
const highestPortBase = 65_400;

/**
 * Reads the options of `npm start` from flags and environment variables.
 * @throws Error that lists all invalid options
 */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): LauncherOptions {
  const problems: string[] = [];
  const flags = readFlags(args, problems);
  const whole = (
    name: string,
    text: string | undefined,
    fallback: number,
    [least, most]: [number, number],
  ) => {
    if (text === undefined || text === '') return fallback;
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    problems.push(`${name} must be a whole number from ${least} to ${most}, not "${text}"`);
    return fallback;
  };
  const url = (name: string, protocols: string[]) => {
    const text = env[name];
    if (text === undefined || text === '') return undefined;
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
    // The message does not contain the value, because it can contain a password.
    problems.push(`${name} must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`);
    return undefined;
  };
  const workspace = () => {
    const text = env.WORKSPACE_ID;
    if (text === undefined || text === '') return undefined;
    if (!env.OIDC_ISSUER)
      problems.push('WORKSPACE_ID needs OIDC_ISSUER: the development provider has its own');
    else if (!isUuid(text)) problems.push(`WORKSPACE_ID must be a UUID, not "${text}"`);
    return text.toLowerCase();
  };
  const options: LauncherOptions = {
    sample: !flags['no-sample'],
    workers: whole('--workers', flags.workers, 1, [1, maxWorkers]),
    portBase: whole('PORT_BASE', env.PORT_BASE, defaultPortBase, [1024, highestPortBase]),
    databaseUrl: url('DATABASE_URL', ['postgres:', 'postgresql:']),
    amqpUrl: url('AMQP_URL', ['amqp:', 'amqps:']),
    oidcIssuer: url('OIDC_ISSUER', ['http:', 'https:']),
    workspaceId: workspace(),
    accessTokenTtlSeconds: whole('ACCESS_TOKEN_TTL_SECONDS', env.ACCESS_TOKEN_TTL_SECONDS, 300, [5, 86_400]),
  };
  if (problems.length > 0) throw new Error(`${problems.join('\n')}\n${usage}`);
  return options;
}

const usage = `usage: npm start -- [--no-sample] [--workers N]
  environment: PORT_BASE, DATABASE_URL, AMQP_URL, OIDC_ISSUER with WORKSPACE_ID, and every setting of the services`;

function readFlags(args: readonly string[], problems: string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: { 'no-sample': { type: 'boolean', default: false }, workers: { type: 'string' } },
      allowPositionals: false,
    }).values;
  } catch (error) {
    problems.push(messageOf(error));
    return { 'no-sample': false, workers: undefined };
  }
}
