import { createEngineClient, type EngineClient } from '../api/engine-client.js';
import type { PlatformClient } from '../api/platform-api.js';
import { createPlatformClient } from '../api/platform-client.js';
import type { Clock } from '../clock.js';
import type { AlertPublisher } from '../publish/alert-publisher.js';
import { createAmqpPublisher } from '../publish/amqp-publisher.js';
import { ClientCredentialsSession } from '../sessions/client-credentials-session.js';
import { DeviceSession } from '../sessions/device-session.js';
import type { Session } from '../sessions/session.js';
import { CommandFailure, exitCodes } from './exit-codes.js';
import { createFileTokenStore } from './login-file.js';
import type { ResolvedSettings } from './settings.js';

export function connectPlatform(settings: ResolvedSettings, clock: Clock): PlatformClient {
  const url = required(settings.apiUrl, 'Where is the API? Give --api-url, or set TOCSIN_API_URL.');
  const { workspaceId, allowHttp } = settings;
  const credential = credentialOf(settings, clock);
  return usable(() => createPlatformClient({ url, credential, workspaceId, allowHttp, clock }));
}

/** Creates a publisher over AMQP. There is no flag for the URL of the broker, because the URL contains a password. */
export function connectBroker(
  settings: ResolvedSettings,
  { declare, clock }: { declare: boolean; clock: Clock },
): Promise<AlertPublisher> {
  const url = required(settings.amqpUrl, 'Where is the broker? Set TOCSIN_AMQP_URL, or give --stack.');
  return createAmqpPublisher({ url, declare, workspaceId: requireWorkspace(settings), clock });
}

/**
 * Creates a client of the engine. Its credential is the key of the engine, or the credential of the platform if no key
 * is set.
 */
export function connectEngine(settings: ResolvedSettings, clock: Clock): EngineClient {
  const url = required(
    settings.engineUrl,
    'Where is the engine? Give --engine-url, or set TOCSIN_ENGINE_URL.',
  );
  const credential = settings.engineKey ?? credentialOf(settings, clock);
  const { allowHttp } = settings;
  return usable(() => createEngineClient({ url, credential, allowHttp, clock }));
}

export function deviceSession(settings: ResolvedSettings, clock: Clock): DeviceSession {
  const issuer = requireIssuer(settings);
  const { deviceClientId: clientId, apiUrl, engineUrl, workspaceId, loginFile, allowHttp } = settings;
  const store = createFileTokenStore(loginFile, { issuer, clientId, apiUrl, engineUrl, workspaceId });
  return new DeviceSession({ issuer, clientId, store, clock, allowHttp });
}

/** Returns the id of the workspace. @throws CommandFailure if it is not set */
export function requireWorkspace({ workspaceId }: ResolvedSettings): string {
  return required(workspaceId, 'Which workspace? Give --workspace, or set TOCSIN_WORKSPACE.');
}

function credentialOf(settings: ResolvedSettings, clock: Clock): Session | string {
  if (settings.token !== undefined) return settings.token;
  const { clientId, clientSecret, allowHttp } = settings;
  if (clientSecret === undefined) return deviceSession(settings, clock);
  const id = required(
    clientId,
    'TOCSIN_CLIENT_SECRET needs a client: give --client-id, or set TOCSIN_CLIENT_ID.',
  );
  const issuer = requireIssuer(settings);
  return new ClientCredentialsSession({ issuer, clientId: id, clientSecret, clock, allowHttp });
}

function requireIssuer({ issuer }: ResolvedSettings): string {
  if (issuer !== undefined) return issuer;
  throw new CommandFailure(
    exitCodes.unauthenticated,
    'Not logged in. Run `tocsin login --issuer URL`, or set TOCSIN_ISSUER, TOCSIN_CLIENT_ID and TOCSIN_CLIENT_SECRET.',
  );
}

function required(value: string | undefined, question: string): string {
  if (value !== undefined) return value;
  throw new CommandFailure(exitCodes.usage, question);
}

/** Runs `create`. Converts a TypeError, which a client throws for an invalid URL, into a usage error. */
function usable<Client>(create: () => Client): Client {
  try {
    return create();
  } catch (error) {
    if (error instanceof TypeError) throw new CommandFailure(exitCodes.usage, error.message);
    throw error;
  }
}
