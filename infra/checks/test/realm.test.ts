import { variablesIn } from './support/compose.js';
import {
  deriveClaims,
  groupPaths,
  keycloakEnvironment,
  type RealmClient,
  readRealm,
  realmText,
} from './support/realm.js';
import { startSigningProvider } from './support/signing-provider.js';
import { expectAccepted, type Holder, identityFor } from './support/token-assertions.js';
import { makeDeployment } from './support/variables.js';

const deployment = makeDeployment();
const { env } = deployment;
const keycloakEnv = keycloakEnvironment(deployment);
const realm = readRealm(keycloakEnv);
const workspaceId = env.WORKSPACE_ID ?? '';
const clientOf = (id: string): RealmClient => {
  const client = realm.clients.find(({ clientId }) => clientId === id);
  if (client === undefined) throw new Error(`The realm has no client ${id}.`);
  return client;
};
const userOf = (name: string) => {
  const user = realm.users.find(({ username }) => username === name);
  if (user === undefined) throw new Error(`The realm has no user ${name}.`);
  return user;
};

describe('a token of the development provider', () => {
  const issuer = process.env.TOCSIN_TEST_OIDC_ISSUER ?? '';
  const clients = JSON.parse(process.env.TOCSIN_TEST_OIDC_CLIENTS ?? '{}') as Record<
    string,
    { client_id: string; client_secret: string }
  >;

  test.each(['admin', 'editor', 'responder', 'reader', 'publisher'] as const)(
    'the APIs read the roles of %s from a token of the development provider',
    async (role) => {
      const body = new URLSearchParams({ grant_type: 'client_credentials', ...clients[role] });
      const response = await fetch(`${issuer}/protocol/openid-connect/token`, { method: 'POST', body });
      const { access_token: token } = (await response.json()) as { access_token: string };
      await expectAccepted(issuer, {
        token,
        workspaceId: process.env.TOCSIN_TEST_WORKSPACE_ID ?? '',
        role,
        isDeploymentAdmin: role === 'admin',
        isForEngine: role === 'admin',
      });
    },
  );
});

describe('a token with the claims that the mappers of the realm file produce', () => {
  let provider: Awaited<ReturnType<typeof startSigningProvider>>;
  beforeAll(async () => {
    provider = await startSigningProvider(realm.accessTokenLifespan);
  });
  afterAll(() => provider.close());

  const admin = { role: 'admin', isDeploymentAdmin: true, isForEngine: true } as const;
  const publisher = { role: 'publisher', isDeploymentAdmin: false, isForEngine: false } as const;

  test.each<[string, string, Omit<Holder, 'token' | 'workspaceId'>]>([
    ['tocsin-cli', 'operator', admin],
    ['tocsin-console', 'operator', admin],
    ['tocsin-admin', 'service-account-tocsin-admin', admin],
    ['tocsin-publisher', 'service-account-tocsin-publisher', publisher],
  ])('the APIs accept a token of client %s with the roles of user %s', async (client, user, holder) => {
    const token = await provider.sign(deriveClaims(realm, clientOf(client), userOf(user)));
    await expectAccepted(provider.issuer, { token, workspaceId, ...holder });
  });

  test.each(['oidc-audience-mapper', 'oidc-group-membership-mapper', 'oidc-usermodel-realm-role-mapper'])(
    'without the claims of the mapper %s, the token of an admin does not give all rights',
    async (missing) => {
      const clientScopes = realm.clientScopes.map(({ name, protocolMappers = [] }) => ({
        name,
        protocolMappers: protocolMappers.filter(({ protocolMapper }) => protocolMapper !== missing),
      }));
      const without = { ...realm, clientScopes };
      const claims = deriveClaims(without, clientOf('tocsin-cli'), userOf('operator'));
      const token = await provider.sign(claims);
      await expect(expectAccepted(provider.issuer, { token, workspaceId, ...admin })).rejects.toThrow();
    },
  );

  test("a service account that was created in Keycloak's console is accepted as a publisher", async () => {
    const made = { clientId: 'churn-monitor' };
    const user = {
      username: 'service-account-churn-monitor',
      groups: [`/workspaces/${workspaceId}/publisher`],
    };
    const token = await provider.sign(deriveClaims(realm, made, user));
    await expectAccepted(provider.issuer, { token, workspaceId, ...publisher });
  });

  test('a token without the claim `sub` is rejected', async () => {
    const client = { ...clientOf('tocsin-cli'), defaultClientScopes: ['tocsin-api'] };
    const claims = deriveClaims(realm, client, userOf('operator'));
    const token = await provider.sign(claims);
    await expect(identityFor(provider.issuer, 'tocsin-api').verifyToken(token)).rejects.toMatchObject({
      status: 401,
    });
  });
});

test("the realm file defines the built-in scopes, because Keycloak's import does not create them", () => {
  // The realm file has `clientScopes`. Keycloak therefore creates no built-in scopes when it imports the file, and
  // assigns none to new clients.
  const own = [
    'basic',
    'profile',
    'email',
    'roles',
    'web-origins',
    'acr',
    'service_account',
    'offline_access',
  ];
  expect(realm.clientScopes.map(({ name }) => name)).toEqual(expect.arrayContaining(own));
  for (const client of ['account', 'account-console', 'security-admin-console'])
    expect(clientOf(client).defaultClientScopes).toContain('basic');
});

test('access tokens of the realm are valid for 5 minutes and are signed with RS256', () => {
  expect([realm.realm, realm.accessTokenLifespan, realm.defaultSignatureAlgorithm]).toEqual([
    'tocsin',
    300,
    'RS256',
  ]);
});

test('the realm file contains no secrets, only variables of the compose file', () => {
  for (const { name } of variablesIn(realmText)) expect(Object.keys(keycloakEnv)).toContain(name);
  const secrets = realmText.match(/"(secret|value)": "[^"]*"/g) ?? [];
  expect(secrets).toHaveLength(3);
  for (const secret of secrets) expect(secret).toMatch(/"\$\{TOCSIN_[A-Z_]+\}"$/);
});

test('each group, role, client and scope that the realm file refers to is defined in it', () => {
  const paths = groupPaths(realm.groups);
  const roles = realm.roles.realm.map(({ name }) => name);
  for (const role of ['reader', 'responder', 'editor', 'publisher', 'admin']) {
    expect(paths).toContain(`/workspaces/${workspaceId}/${role}`);
  }
  for (const { groups = [], realmRoles = [], serviceAccountClientId, username } of realm.users) {
    for (const path of groups) expect(paths).toContain(path);
    for (const role of realmRoles) expect(roles).toContain(role);
    if (serviceAccountClientId === undefined) continue;
    expect(username).toBe(`service-account-${serviceAccountClientId}`);
    expect(clientOf(serviceAccountClientId).serviceAccountsEnabled).toBe(true);
  }
  const audiences = realm.clientScopes.flatMap(({ protocolMappers = [] }) =>
    protocolMappers.flatMap(({ config }) => config['included.client.audience'] ?? []),
  );
  expect(audiences).toEqual(['tocsin-api', 'tocsin-engine']);
  const scopes = realm.clientScopes.map(({ name }) => name);
  for (const { defaultClientScopes = [] } of realm.clients)
    expect(scopes).toEqual(expect.arrayContaining(defaultClientScopes));
  for (const audience of audiences) expect(clientOf(audience).bearerOnly).toBe(true);
});

test('the realm has device and browser clients, and no client allows the password grant', () => {
  expect(clientOf('tocsin-cli')).toMatchObject({
    publicClient: true,
    standardFlowEnabled: false,
    attributes: { 'oauth2.device.authorization.grant.enabled': 'true' },
  });
  expect(clientOf('tocsin-console')).toMatchObject({
    publicClient: true,
    standardFlowEnabled: true,
    attributes: { 'pkce.code.challenge.method': 'S256' },
    redirectUris: expect.arrayContaining(['http://localhost:8080/console/']),
  });
  for (const client of realm.clients.filter(({ bearerOnly }) => bearerOnly !== true)) {
    expect(client.directAccessGrantsEnabled).toBe(false);
    const isPublic = client.publicClient === true;
    expect(isPublic).toBe(client.serviceAccountsEnabled !== true);
    expect(client.secret === undefined).toBe(isPublic);
  }
});
