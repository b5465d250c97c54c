import { readEnv } from '@tocsin/kit';
import { readIdentitySettings } from './settings.js';

const workspace = 'AAAAAAAA-1111-4111-8111-111111111111';
const enterprise = JSON.stringify([{ issuer: 'https://sso.example', workspaces: [workspace] }]);

function read(env: Record<string, string>) {
  return readEnv({ OIDC_ISSUER: 'https://id.example/realms/tocsin', ...env }, (reader) =>
    readIdentitySettings(reader, { audience: 'tocsin-api' }),
  );
}

test('the default settings have one provider with the usual claim names', () => {
  expect(read({}).issuers).toEqual([
    {
      issuer: 'https://id.example/realms/tocsin',
      audience: 'tocsin-api',
      groupsClaim: 'groups',
      rolesClaim: 'realm_access.roles',
      workspaces: 'all',
    },
  ]);
});

test('OIDC_DISCOVERY_URL applies to the provider of the deployment only', () => {
  const { issuers } = read({
    OIDC_DISCOVERY_URL: 'http://keycloak:8080/realms/tocsin',
    DEPLOYMENT: 'enterprise',
    OIDC_ENTERPRISE_ISSUERS: enterprise,
  });
  expect(issuers.map(({ discoveryUrl }) => discoveryUrl)).toEqual([
    'http://keycloak:8080/realms/tocsin',
    undefined,
  ]);
  expect(() => read({ OIDC_DISCOVERY_URL: 'keycloak' })).toThrow('OIDC_DISCOVERY_URL must be');
});

test('an enterprise deployment accepts further issuers for their listed workspaces', () => {
  const { issuers } = read({ DEPLOYMENT: 'enterprise', OIDC_ENTERPRISE_ISSUERS: enterprise });
  expect(issuers[1]).toMatchObject({
    issuer: 'https://sso.example',
    audience: 'tocsin-api',
    workspaces: new Set([workspace.toLowerCase()]),
  });
});

test('the settings of an issuer can contain the address of its keys', () => {
  const listed = [{ ...JSON.parse(enterprise)[0], jwks_uri: 'https://keys.example/jwks' }];
  const { issuers } = read({ DEPLOYMENT: 'enterprise', OIDC_ENTERPRISE_ISSUERS: JSON.stringify(listed) });
  expect(issuers.map(({ jwksUri }) => jwksUri)).toEqual([undefined, 'https://keys.example/jwks']);
});

test.each<[Record<string, string>, string]>([
  [{ OIDC_ENTERPRISE_ISSUERS: enterprise }, 'may only be set with DEPLOYMENT=enterprise'],
  [{ DEPLOYMENT: 'enterprise', OIDC_ENTERPRISE_ISSUERS: '{' }, 'OIDC_ENTERPRISE_ISSUERS must be JSON'],
  [{ DEPLOYMENT: 'enterprise', OIDC_ENTERPRISE_ISSUERS: '[{"issuer":"x"}]' }, 'must be an array of'],
  [
    { DEPLOYMENT: 'enterprise', OIDC_ENTERPRISE_ISSUERS: enterprise, OIDC_ISSUER: 'https://sso.example' },
    'each issuer once',
  ],
  [{ DEPLOYMENT: 'cloud' }, 'DEPLOYMENT must be one of standard, enterprise'],
  [{ OIDC_ISSUER: '' }, 'OIDC_ISSUER is required'],
])('invalid identity settings of case %# are rejected with a reason', (env, reason) => {
  expect(() => read(env)).toThrow(reason);
});
