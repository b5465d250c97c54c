import { type RunningProvider, startProvider } from '@tocsin/local';

type Settings = Parameters<typeof startProvider>[0];

/** Starts a provider whose tokens are valid for 60 s and whose refresh tokens can be used once. */
export function startRealm(
  settings: Pick<Settings, 'accounts' | 'engineAudience'>,
): Promise<RunningProvider> {
  return startProvider({
    port: 0,
    realm: 'tocsin',
    audience: ['tocsin-api'],
    accessTokenTtlSeconds: 60,
    refreshTokenTtlSeconds: 600,
    rotateRefreshTokens: true,
    deviceClientId: 'tocsin-cli',
    consoleClientId: 'tocsin-console',
    consoleRedirectUris: ['http://127.0.0.1/console/'],
    ...settings,
  });
}
