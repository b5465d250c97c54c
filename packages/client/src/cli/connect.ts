import { createEngineClient, type EngineClient } from '../api/engine-client.js';
import { createPlatformClient, type PlatformClient } from '../api/platform-client.js';
import type { Clock } from '../clock.js';
import { ClientCredentialsSession } from '../sessions/client-credentials-session.js';
import { DeviceSession } from '../sessions/device-session.js';
import type { Session } from '../sessions/session.js';
import { CommandFailure, exitCodes } from './exit-codes.js';
import { createFileTokenStore } from './login-file.js';
import type { ResolvedSettings } from './settings.js';

export function connectPlatform(settings: ResolvedSettings, clock: Clock): PlatformClient {
  const url = required(settings.apiUrl, 'Where is the API? Give --api-url, or set TOCSIN_API_URL.');
  return createPlatformClient({
    url,
    credential: credentialOf(settings, clock),
    workspaceId: settings.workspaceId,
    clock,
  });
}

/** Credential for the engine: its own key, otherwise the credential for the platform. */
export function connectEngine(settings: ResolvedSettings, clock: Clock): EngineClient {
  const url = required(
    settings.engineUrl,
    'Where is the engine? Give --engine-url, or set TOCSIN_ENGINE_URL.',
  );
  return createEngineClient({ url, credential: settings.engineKey ?? credentialOf(settings, clock), clock });
}

export function deviceSession(settings: ResolvedSettings, clock: Clock): DeviceSession {
  const issuer = requireIssuer(settings);
  const { deviceClientId: clientId, apiUrl, engineUrl, workspaceId, loginFile } = settings;
  const store = createFileTokenStore(loginFile, { issuer, clientId, apiUrl, engineUrl, workspaceId });
  return new DeviceSession({ issuer, clientId, store, clock });
}

/** Returns the id of the workspace from the settings. A missing one is a usage error. */
export function requireWorkspace({ workspaceId }: ResolvedSettings): string {
  return required(workspaceId, 'Which workspace? Give --workspace, or set TOCSIN_WORKSPACE.');
}

function credentialOf(settings: ResolvedSettings, clock: Clock): Session | string {
  if (settings.token !== undefined) return settings.token;
  const { clientId, clientSecret } = settings;
  if (clientSecret === undefined) return deviceSession(settings, clock);
  const id = required(
    clientId,
    'TOCSIN_CLIENT_SECRET needs a client: give --client-id, or set TOCSIN_CLIENT_ID.',
  );
  return new ClientCredentialsSession({ issuer: requireIssuer(settings), clientId: id, clientSecret, clock });
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
