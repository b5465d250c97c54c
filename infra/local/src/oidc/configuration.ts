import type {
  AdapterFactory,
  ClientMetadata,
  Configuration,
  KoaContextWithOIDC,
  ResourceServer,
} from 'oidc-provider';
import { renderPage } from '../render-page.js';
import type { Accounts, Roles } from './accounts.js';
import type { SigningKey } from './signing-keys.js';

export interface RealmSettings {
  accounts: Accounts;
  /** Audiences of every access token. */
  audience: string[];
  /**
   * Audiences of `engine-auth`. They are added to the access tokens of all users, and of service accounts that have a
   * deployment role.
   */
  engineAudience: string[];
  accessTokenTtlSeconds: number;
  refreshTokenTtlSeconds: number;
  rotateRefreshTokens: boolean;
  deviceClientId: string;
  consoleClientId: string;
  consoleRedirectUris: string[];
}

// Resource of every access token, because oidc-provider needs one. The claim `aud` does not depend on it
// (`audienceOf`): Keycloak ignores the request parameter `resource`, and this provider behaves like Keycloak.
const resource = 'urn:tocsin';
const scopes = 'openid offline_access profile email';

/**
 * Returns the configuration of the provider. Tokens are signed with the first key, and all keys are published. Paths
 * are those of a Keycloak realm.
 */
export function configureProvider(
  settings: RealmSettings,
  keys: readonly SigningKey[],
  adapter: AdapterFactory,
  cookieKeys: string[],
): Configuration {
  const { accounts, accessTokenTtlSeconds, refreshTokenTtlSeconds } = settings;
  return {
    adapter,
    clients: [...makeServiceClients(accounts), makeDeviceClient(settings), makeConsoleClient(settings)],
    jwks: { keys: keys.map((key) => ({ ...key })) },
    cookies: { keys: cookieKeys },
    routes: routes,
    scopes: scopes.split(' '),
    claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email'] },
    // The reference page of the API requests tokens for service accounts. oidc-provider does not know the port of this
    // page, so it allows these requests from any origin. `reasonToReject` still rejects pages of other sites.
    clientBasedCORS: (_ctx, origin, client) =>
      client.grantTypeAllowed('client_credentials') ||
      (client.redirectUris?.some((uri) => new URL(uri).origin === origin) ?? false),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      deviceFlow: { enabled: true, ...devicePages },
      rpInitiatedLogout: { enabled: true, ...signOutPages },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (): ResourceServer => ({
          scope: scopes,
          accessTokenTTL: accessTokenTtlSeconds,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    ttl: {
      AccessToken: accessTokenTtlSeconds,
      ClientCredentials: accessTokenTtlSeconds,
      IdToken: accessTokenTtlSeconds,
      RefreshToken: refreshTokenTtlSeconds,
      AuthorizationCode: 60,
      DeviceCode: 600,
      Interaction: 600,
      Session: 12 * 3600,
      Grant: 30 * 24 * 3600,
    },
    rotateRefreshToken: settings.rotateRefreshTokens,
    // Like Keycloak, the provider returns a refresh token to each client with the refresh grant, regardless of the
    // requested scope.
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    findAccount: (_ctx, sub) => findAccount(accounts, sub),
    loadExistingGrant: grantEverything,
    extraTokenClaims: (ctx, token) => {
      const isUser = token.kind === 'AccessToken';
      const roles = isUser
        ? rolesOfUser(accounts, token.accountId)
        : rolesOfService(accounts, token.clientId);
      return {
        // In Keycloak, the scope `profile` also adds the user name to access tokens.
        ...(isUser && { preferred_username: nameOfUser(accounts.users, token.accountId) }),
        azp: ctx.oidc.client?.clientId,
        typ: 'Bearer',
        groups: roles.groups,
        realm_access: { roles: roles.realmRoles },
      };
    },
    formats: {
      customizers: {
        jwt: (_ctx, token, parts) => {
          parts.header = { ...parts.header, typ: 'JWT' };
          parts.payload.aud = audienceOf(settings, token);
        },
      },
    },
    interactions: { url: (ctx, interaction) => `${mountPath(ctx)}/interaction/${interaction.uid}` },
    renderError: (ctx, out) => {
      ctx.type = 'html';
      ctx.body = renderPage('message', {
        title: 'Sign-in failed',
        message: out.error_description ?? out.error,
      });
    },
  };
}

function audienceOf(
  { accounts, audience, engineAudience }: RealmSettings,
  { kind, clientId }: { kind: string; clientId?: string | undefined },
): string[] {
  const isPerson = kind === 'AccessToken';
  const { realmRoles } = rolesOfService(accounts, clientId);
  return isPerson || realmRoles.length > 0 ? [...audience, ...engineAudience] : audience;
}

const routes = {
  authorization: '/protocol/openid-connect/auth',
  token: '/protocol/openid-connect/token',
  jwks: '/protocol/openid-connect/certs',
  userinfo: '/protocol/openid-connect/userinfo',
  device_authorization: '/protocol/openid-connect/auth/device',
  code_verification: '/device',
  end_session: '/protocol/openid-connect/logout',
  revocation: '/protocol/openid-connect/revoke',
};

/** Returns the path prefix of the provider (`/realms/{realm}`) from the issuer. */
function mountPath(ctx: KoaContextWithOIDC): string {
  return new URL(ctx.oidc.issuer).pathname;
}

function makeServiceClients({ services }: Accounts): ClientMetadata[] {
  return Object.values(services).map(({ clientId, clientSecret }) => ({
    client_id: clientId,
    client_secret: clientSecret,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    // Like Keycloak, the provider accepts the client secret in the form body and in the header.
    token_endpoint_auth_method: 'client_secret_post',
  }));
}

function makeDeviceClient({ deviceClientId }: RealmSettings): ClientMetadata {
  return {
    client_id: deviceClientId,
    client_name: 'Tocsin on the command line',
    grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
    redirect_uris: [],
    response_types: [],
    token_endpoint_auth_method: 'none',
  };
}

function makeConsoleClient({ consoleClientId, consoleRedirectUris }: RealmSettings): ClientMetadata {
  return {
    client_id: consoleClientId,
    client_name: 'Tocsin console',
    grant_types: ['authorization_code', 'refresh_token'],
    redirect_uris: consoleRedirectUris,
    post_logout_redirect_uris: consoleRedirectUris,
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

const signOutPages = {
  async logoutSource(ctx: KoaContextWithOIDC, form: string) {
    ctx.body = renderPage('sign-out', { title: 'Sign out', form });
  },
  async postLogoutSuccessSource(ctx: KoaContextWithOIDC) {
    ctx.body = renderPage('message', { title: 'Signed out', message: 'You can close this page.' });
  },
};

const devicePages = {
  async userCodeInputSource(ctx: KoaContextWithOIDC, form: string, _out?: unknown, error?: Error) {
    const reason = error === undefined ? {} : { error: explainUserCodeError(error) };
    ctx.body = renderPage('user-code-input', { title: 'Connect a device', form, ...reason });
  },
  async userCodeConfirmSource(
    ctx: KoaContextWithOIDC,
    form: string,
    client: { clientName?: string | undefined; clientId: string },
    _info: unknown,
    userCode: string,
  ) {
    const clientName = client.clientName ?? client.clientId;
    ctx.body = renderPage('user-code-confirm', { title: 'Connect a device', form, clientName, userCode });
  },
  async successSource(ctx: KoaContextWithOIDC) {
    ctx.body = renderPage('message', {
      title: 'Signed in',
      message: 'Your device is connected. You can close this page.',
    });
  },
};

function explainUserCodeError(error: Error): string {
  if (error.name === 'AbortedError') return 'The request was refused.';
  if ('userCode' in error || error.name === 'NoCodeError') return 'There is no such code. Enter it again.';
  return 'The request could not be read. Enter the code again.';
}

function findAccount({ users }: Accounts, sub: string) {
  const name = nameOfUser(users, sub);
  if (name === undefined) return undefined;
  return {
    accountId: sub,
    claims: () => ({ sub, name, preferred_username: name, email: `${name}@tocsin.invalid` }),
  };
}

function nameOfUser(users: Accounts['users'], sub: string): string | undefined {
  return Object.keys(users).find((name) => users[name]?.id === sub);
}

function rolesOfUser({ users }: Accounts, sub: string): Roles {
  return Object.values(users).find(({ id }) => id === sub)?.roles ?? noRoles;
}

function rolesOfService({ services }: Accounts, clientId: string | undefined): Roles {
  return Object.values(services).find((service) => service.clientId === clientId)?.roles ?? noRoles;
}

const noRoles: Roles = { groups: [], realmRoles: [] };

/** Grants all scopes without asking the user for consent. */
async function grantEverything(ctx: KoaContextWithOIDC) {
  const { client, session, result, provider } = ctx.oidc;
  if (client === undefined || session === undefined) return undefined;
  const known = result?.consent?.grantId ?? session.grantIdFor(client.clientId);
  const existing = known === undefined ? undefined : await provider.Grant.find(known);
  if (existing !== undefined) return existing;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope(scopes);
  grant.addResourceScope(resource, scopes);
  await grant.save();
  return grant;
}
