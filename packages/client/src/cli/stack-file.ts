import { readFile } from 'node:fs/promises';
import { CommandFailure, exitCodes } from './exit-codes.js';

/** Members of `.tocsin/stack.json` (written by `npm start`) that the command uses. */
interface Stack {
  api_url: string;
  engine_url: string;
  auth_url: string;
  amqp_url?: string;
  realm: string;
  engine_admin_key: string;
  workspace_id: string;
  clients: Record<string, { client_id: string; client_secret: string } | undefined>;
  device_client_id: string;
}

interface StackSettings {
  apiUrl: string;
  engineUrl: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  deviceClientId: string;
  engineKey: string | undefined;
  workspaceId: string;
  amqpUrl: string | undefined;
}

/** Reads the settings for the local stack from `file`. `role` chooses one of the service accounts in the file. */
export async function readStackSettings(file: string, role: string): Promise<StackSettings> {
  const stack = await readStack(file);
  const client = Object.hasOwn(stack.clients, role) ? stack.clients[role] : undefined;
  if (client === undefined) {
    const roles = Object.keys(stack.clients).join(', ');
    throw new CommandFailure(
      exitCodes.usage,
      `${file} has no client ${JSON.stringify(role)}; it has ${roles}.`,
    );
  }
  return {
    apiUrl: stack.api_url,
    engineUrl: stack.engine_url,
    issuer: `${stack.auth_url.replace(/\/+$/, '')}/realms/${stack.realm}`,
    clientId: client.client_id,
    clientSecret: client.client_secret,
    deviceClientId: stack.device_client_id,
    // Only the account of the admin gets the admin key of the engine. Other accounts call the engine with their own
    // access token. The engine rejects this token, because its audience does not include the engine.
    engineKey: role === 'admin' ? stack.engine_admin_key : undefined,
    workspaceId: stack.workspace_id,
    amqpUrl: stack.amqp_url,
  };
}

async function readStack(file: string): Promise<Stack> {
  try {
    const stack: Stack = JSON.parse(await readFile(file, 'utf8'));
    if (typeof stack.api_url === 'string' && typeof stack.clients === 'object') return stack;
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = missing ? 'There is no such file: is npm start running?' : String(error);
    throw new CommandFailure(exitCodes.usage, `${file}: ${why}`);
  }
  throw new CommandFailure(exitCodes.usage, `${file} is not a stack file.`);
}
