import { CommandFailure, exitCodes } from './exit-codes.js';
import { loginFilePath, readLogin } from './login-file.js';
import { readStackSettings } from './stack-file.js';

/** Addresses and credentials of a command. */
interface Settings {
  apiUrl?: string | undefined;
  engineUrl?: string | undefined;
  issuer?: string | undefined;
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** Fixed access token. It has precedence over a service account and a login. */
  token?: string | undefined;
  engineKey?: string | undefined;
  workspaceId?: string | undefined;
  /** URL of the broker, with user and password. */
  amqpUrl?: string | undefined;
}

/** Flags of every command that calls a service. */
export interface ConnectionFlags {
  apiUrl?: string;
  engineUrl?: string;
  issuer?: string;
  clientId?: string;
  workspace?: string;
  stack?: string;
  as?: string;
  allowHttp?: boolean;
}

export interface ResolvedSettings extends Settings {
  /** Id of the public OAuth client with which people log in. */
  deviceClientId: string;
  loginFile: string;
  /** If true, plain http is accepted for every host, and not only for loopback addresses. */
  allowHttp: boolean;
}

/**
 * Returns the settings of a command. With a stack file, which `npm start` writes for a local installation, the settings
 * come from flags and, with lower precedence, from the file. Without a stack file, flags have precedence over the
 * environment, and the environment has precedence over the stored login.
 */
export async function resolveSettings(
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv,
): Promise<ResolvedSettings> {
  const fixed = { loginFile: loginFilePath(env), allowHttp: flags.allowHttp === true };
  const stackFile = flags.stack ?? (env.TOCSIN_STACK || undefined);
  const given = defined(fromFlags(flags));
  if (stackFile !== undefined) {
    const { deviceClientId, ...stack } = await readStackSettings(stackFile, flags.as ?? 'admin');
    return { ...stack, ...given, deviceClientId: flags.clientId ?? deviceClientId, ...fixed };
  }
  if (flags.as !== undefined)
    throw new CommandFailure(exitCodes.usage, '--as picks a client of a --stack file.');
  const chosen: Settings = { ...defined(fromEnvironment(env)), ...given };
  // The stored login contains the id of the OAuth client with which a person has logged in. It becomes
  // `deviceClientId`, the client for logins of people, and not `clientId`, the client of a service account: an OAuth
  // client for people has no secret.
  const { clientId: personal, ...remembered } = await readRemembered(fixed.loginFile, chosen.issuer);
  return { ...remembered, ...chosen, deviceClientId: chosen.clientId ?? personal ?? 'tocsin-cli', ...fixed };
}

/** Returns the settings of the stored login, or no settings if the login is not from the provider `issuer`. */
async function readRemembered(loginFile: string, issuer: string | undefined): Promise<Settings> {
  const login = await readLogin(loginFile);
  if (login === undefined || (issuer !== undefined && issuer !== login.issuer)) return {};
  const { tokens: _tokens, ...remembered } = login;
  return remembered;
}

function fromFlags({ apiUrl, engineUrl, issuer, clientId, workspace }: ConnectionFlags): Settings {
  return { apiUrl, engineUrl, issuer, clientId, workspaceId: workspace };
}

/**
 * Reads settings and secrets from the environment. Secrets have no flags, because every user of a machine can read its
 * command lines.
 */
function fromEnvironment(env: NodeJS.ProcessEnv): Settings {
  const read = (name: string) => env[name]?.trim() || undefined;
  return {
    apiUrl: read('TOCSIN_API_URL'),
    engineUrl: read('TOCSIN_ENGINE_URL'),
    issuer: read('TOCSIN_ISSUER'),
    clientId: read('TOCSIN_CLIENT_ID'),
    clientSecret: read('TOCSIN_CLIENT_SECRET'),
    token: read('TOCSIN_TOKEN'),
    engineKey: read('SERVICE_API_KEY'),
    workspaceId: read('TOCSIN_WORKSPACE'),
    amqpUrl: read('TOCSIN_AMQP_URL'),
  };
}

function defined(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
