import { readEnv } from '@tocsin/kit';
import { readIdentitySettings } from './settings.js';

const workspace = 'AAAAAAAA-1111-4111-8111-111111111111';
const enterprise = JSON.stringify([{ issuer: 'https://sso.example', workspaces: [workspace] }]);

function read(env: Record<string, string>) {
  return readEnv({ OIDC_ISSUER: 'https://id.example/realms/tocsin', ...env }, (reader) =>
    readIdentitySettings(reader, { audience: 'tocsin-api' }),
  );
}

test('the default settings trust one provider, with the usual claim names', () => {
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

test('with DEPLOYMENT=enterprise, a second issuer is trusted for the workspaces of its entry', () => {
  const { issuers } = read({ DEPLOYMENT: 'enterprise', OIDC_ENTERPRISE_ISSUERS: enterprise });
  expect(issuers[1]).toMatchObject({
    issuer: 'https://sso.example',
    audience: 'tocsin-api',
    workspaces: new Set([workspace.toLowerCase()]),
  });
});

test('the entry of an enterprise issuer can contain the URL of its keys', () => {
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
])('invalid identity settings (case %#) are rejected with a reason', (env, reason) => {
  expect(() => read(env)).toThrow(reason);
});

test('settings set the audience and claim names, and an issuer can have its own audience', () => {
  const names = { audience: 'a', groupsClaim: 'g', rolesClaim: 'r.s' };
  const listed = [
    { issuer: 'https://one.example', workspaces: [], audience: 'b' },
    { issuer: 'http://two.example', workspaces: [] },
  ];
  const { issuers } = read({
    OIDC_AUDIENCE: 'a',
    OIDC_GROUPS_CLAIM: 'g',
    OIDC_ROLES_CLAIM: 'r.s',
    DEPLOYMENT: 'enterprise',
    OIDC_ENTERPRISE_ISSUERS: JSON.stringify(listed),
  });
  expect(issuers).toMatchObject([
    { ...names, workspaces: 'all' },
    { ...names, issuer: 'https://one.example', audience: 'b' },
    { ...names, issuer: 'http://two.example' },
  ]);
});

const valid = { issuer: 'https://sso.example', workspaces: [workspace] };

test.each<[string, unknown]>([
  ['no list', valid],
  ['null in the list', [valid, null]],
  ['an issuer that is no web address', [{ ...valid, issuer: 'ldap://sso.example' }]],
  ['an issuer without a host', [{ ...valid, issuer: 'https://' }]],
  ['keys that are no web address', [{ ...valid, jwks_uri: 'file:///jwks' }]],
  ['an empty audience', [{ ...valid, audience: '' }]],
  ['an audience that is no text', [{ ...valid, audience: 1 }]],
  ['workspaces that are no list', [{ ...valid, workspaces: workspace }]],
  ['a workspace that is no UUID', [{ ...valid, workspaces: [workspace, 'w'] }]],
  ['a workspace with a prefix', [{ ...valid, workspaces: [`x${workspace}`] }]],
])('enterprise issuers with %s are rejected', (_, issuers) => {
  const env = { DEPLOYMENT: 'enterprise', OIDC_ENTERPRISE_ISSUERS: JSON.stringify(issuers) };
  expect(() => read(env)).toThrow('must be an array of');
});

test('an enterprise issuer that is listed twice is rejected', () => {
  const env = { DEPLOYMENT: 'enterprise', OIDC_ENTERPRISE_ISSUERS: JSON.stringify([valid, valid]) };
  expect(() => read(env)).toThrow('each issuer once');
});
