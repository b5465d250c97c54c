import { CommandFailure, exitCodes } from './exit-codes.js';
import { loginFilePath, readLogin } from './login-file.js';
import { readStackSettings } from './stack-file.js';

/** Where to go and as whom. */
export interface Settings {
  apiUrl?: string | undefined;
  engineUrl?: string | undefined;
  issuer?: string | undefined;
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** An access token to be used as it is. */
  token?: string | undefined;
  engineKey?: string | undefined;
  workspaceId?: string | undefined;
}

/** The flags that every command which talks to a service takes. */
export interface ConnectionFlags {
  apiUrl?: string;
  engineUrl?: string;
  issuer?: string;
  clientId?: string;
  workspace?: string;
  stack?: string;
  as?: string;
}

export interface ResolvedSettings extends Settings {
  /** The public client of people; for logging in. */
  deviceClientId: string;
  loginFile: string;
}

/** Flags come first; then a stack file, or else the environment and what was remembered at the login. */
export async function resolveSettings(
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv,
): Promise<ResolvedSettings> {
  const loginFile = loginFilePath(env);
  const stackFile = flags.stack ?? (env.TOCSIN_STACK || undefined);
  const given = defined(fromFlags(flags));
  if (stackFile !== undefined) {
    const { deviceClientId, ...stack } = await readStackSettings(stackFile, flags.as ?? 'admin');
    return { ...stack, ...given, deviceClientId: flags.clientId ?? deviceClientId, loginFile };
  }
  if (flags.as !== undefined)
    throw new CommandFailure(exitCodes.usage, '--as picks a client of a --stack file.');
  const chosen: Settings = { ...defined(fromEnvironment(env)), ...given };
  // The client of a login is for people: a secret never goes with it.
  const { clientId: personal, ...remembered } = await readRemembered(loginFile, chosen.issuer);
  return { ...remembered, ...chosen, deviceClientId: chosen.clientId ?? personal ?? 'tocsin-cli', loginFile };
}

/** What belongs to a login at one provider is nothing to another. */
async function readRemembered(loginFile: string, issuer: string | undefined): Promise<Settings> {
  const login = await readLogin(loginFile);
  if (login === undefined || (issuer !== undefined && issuer !== login.issuer)) return {};
  const { tokens: _tokens, ...remembered } = login;
  return remembered;
}

function fromFlags({ apiUrl, engineUrl, issuer, clientId, workspace }: ConnectionFlags): Settings {
  return { apiUrl, engineUrl, issuer, clientId, workspaceId: workspace };
}

/** Secrets come from the environment only: a command line is for everybody to see. */
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
  };
}

function defined(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
