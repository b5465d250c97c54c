import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { findFreePorts, makeAccounts, type RoleName, startProviderProcess } from '@tocsin/local';
import type { TestBed } from './test-bed.js';

export interface IdentityProvider {
  issuer: string;
  /** Returns an access token of a client with this role in the workspace. It is valid for one day. */
  fetchToken(role: RoleName): Promise<string>;
  stop(): Promise<void>;
}

/** Lifetime of a token in seconds. One day is longer than any run of a suite. */
const tokenTtlSeconds = 86_400;

/** Starts the development OpenID provider, with one client for each role in `workspaceId`. */
export async function startIdentityProvider(
  testBed: TestBed,
  workspaceId: string,
): Promise<IdentityProvider> {
  const [port = 0] = await findFreePorts(1);
  const accounts = makeAccounts({ workspaceId, otherWorkspaceId: randomUUID() });
  const { child, url: issuer } = await startProviderProcess({
    processes: testBed.processes,
    directory: join(testBed.directory, `oidc-${port}`),
    logFile: testBed.logFile('oidc'),
    settings: {
      port,
      realm: 'tocsin',
      audience: ['tocsin-api'],
      engineAudience: ['tocsin-engine'],
      accessTokenTtlSeconds: tokenTtlSeconds,
      refreshTokenTtlSeconds: tokenTtlSeconds,
      rotateRefreshTokens: true,
      deviceClientId: 'tocsin-cli',
      consoleClientId: 'tocsin-console',
      consoleRedirectUris: ['http://127.0.0.1/console/'],
      accounts,
    },
  });
  return {
    issuer,
    async fetchToken(role) {
      const { clientId, clientSecret } = accounts.services[role];
      const response = await fetch(`${issuer}/protocol/openid-connect/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: clientId,
          client_secret: clientSecret,
        }),
      });
      if (!response.ok) throw new Error(`The provider returned ${response.status}: ${await response.text()}`);
      const { access_token: token } = (await response.json()) as { access_token: string };
      return token;
    },
    stop: () => child.stop(),
  };
}
