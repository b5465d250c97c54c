import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { composeService, interpolate, mountedSecrets, readText } from './support/compose.js';
import { keycloakEnvironment, realmText } from './support/realm.js';
import { faultsOfRealm } from './support/realm-representation.js';
import { makeDeployment } from './support/variables.js';

const { env, secrets } = makeDeployment();
const keycloak = composeService('keycloak');

/** Returns the environment of a compose service with the given settings in .env. */
function environmentOf(service: string, choices: Record<string, string> = {}): Record<string, string> {
  const pairs = Object.entries(composeService(service).environment);
  return Object.fromEntries(
    pairs.map(([name, text]) => [name, interpolate(String(text), { ...env, ...choices })]),
  );
}

const file = () => JSON.parse(interpolate(realmText, keycloakEnvironment({ env, secrets })));

test('start.sh passes its arguments to Keycloak, and sets a variable for each mounted secret', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-keycloak-'));
  const mounted = mountedSecrets('keycloak').map(({ path }) => basename(path));
  const given = keycloakEnvironment({ env, secrets });
  mkdirSync(join(directory, 'secrets'));
  for (const name of mounted) writeFileSync(join(directory, 'secrets', name), `${given[name]}\n`);
  const printer = ['#!/bin/bash', 'echo "$@"', ...mounted.map((name) => `echo "$${name}"`), ''].join('\n');
  writeFileSync(join(directory, 'kc.sh'), printer, { mode: 0o755 });
  const script = readText('infra/keycloak/start.sh')
    .replaceAll('/run/secrets', join(directory, 'secrets'))
    .replace('/opt/keycloak/bin', directory);
  const args = ['-c', script, 'start.sh', ...(keycloak.command ?? [])];
  const printed = execFileSync('bash', args, { encoding: 'utf8' }).trim().split('\n');
  rmSync(directory, { recursive: true });
  expect(mounted.length).toBeGreaterThan(4);
  expect(printed).toEqual(['start --import-realm', ...mounted.map((name) => given[name])]);
});

test('the realm file uses only fields that Keycloak knows', () => {
  expect(faultsOfRealm(file())).toEqual([]);
});

test.each<[string, (realm: ReturnType<typeof file>) => void]>([
  ['a field that does not exist', (realm) => Object.assign(realm, { accessTokenLifeSpan: 300 })],
  ['a scope that is not built in', (realm) => realm.clients[2].defaultClientScopes.push('groups')],
  [
    'a setting of another mapper',
    ({ clientScopes }) => Object.assign(mapperOf(clientScopes), { 'full.path': 'true' }),
  ],
  [
    'a setting that is no text',
    ({ clientScopes }) => Object.assign(mapperOf(clientScopes), { 'id.token.claim': false }),
  ],
  ['an audience that is switched off', (realm) => Object.assign(realm.clients[0], { enabled: false })],
  [
    'a group with a field of its own',
    (realm) => Object.assign(realm.groups[0].subGroups[0], { id: { a: 1 } }),
  ],
])('the check of the realm file reports %s', (_, spoil) => {
  const realm = file();
  spoil(realm);
  expect(faultsOfRealm(realm)).not.toEqual([]);
});

function mapperOf(scopes: { protocolMappers?: { config: object }[] }[]): object {
  return scopes.flatMap(({ protocolMappers = [] }) => protocolMappers)[0]?.config ?? {};
}

test('the realm file stays valid JSON when the generated secrets are inserted', () => {
  const given = { ...keycloakEnvironment({ env, secrets }), PUBLIC_URL: 'checked-elsewhere' };
  const used = Object.entries(given).filter(([name]) => realmText.includes(`\${${name}}`));
  expect(used.length).toBeGreaterThan(2);
  for (const [name, value] of used) expect([name, value]).toEqual([name, expect.stringMatching(/^[\w-]+$/)]);
});

test.each([
  ['as it is made', {}],
  ['behind a proxy', { KEYCLOAK_URL: 'https://id.example', OIDC_ISSUER: 'https://id.example/realms/tocsin' }],
])('Keycloak issues tokens with the issuer that the services expect: %s', (_, choices) => {
  const given = environmentOf('keycloak', choices);
  // With KC_HOSTNAME_BACKCHANNEL_DYNAMIC and KC_HOSTNAME_ADMIN, Keycloak requires a complete origin in KC_HOSTNAME.
  expect(new URL(given.KC_HOSTNAME ?? '').origin).toBe(given.KC_HOSTNAME);
  expect(given.KC_HOSTNAME_BACKCHANNEL_DYNAMIC).toBe('true');
  for (const service of ['webhook-api', 'engine-auth']) {
    const { OIDC_ISSUER: issuer, OIDC_DISCOVERY_URL: inside } = environmentOf(service, choices);
    expect(issuer).toBe(`${given.KC_HOSTNAME}/realms/${file().realm}`);
    expect(inside).toBe(`http://keycloak:8080/realms/${file().realm}`);
  }
});

test("Keycloak's admin console is reachable at its published port", () => {
  const { KC_HOSTNAME_ADMIN: console } = environmentOf('keycloak', { KEYCLOAK_URL: 'https://id.example' });
  expect(keycloak.ports).toEqual([`127.0.0.1:${new URL(console ?? '').port}:8080`]);
  expect(console).toMatch(/^http:\/\/localhost:/);
});

test("Keycloak's health check uses the management port and tools of its image", () => {
  const { test: words = [] } = keycloak.healthcheck ?? {};
  expect(words.slice(0, 3)).toEqual(['CMD', 'bash', '-c']);
  expect(words[3]).toContain('/dev/tcp/127.0.0.1/9000');
  expect(words[3]).toContain('GET /health/ready HTTP/1.1');
  expect(words[3]).not.toMatch(/curl|wget/);
  expect(environmentOf('keycloak').KC_HEALTH_ENABLED).toBe('true');
  expect(keycloak.volumes).toContain('./infra/keycloak/realm:/opt/keycloak/data/import:ro');
  expect(keycloak.command).toEqual(['start', '--import-realm']);
});

test('the compose file passes only settings that Keycloak knows', () => {
  const given = keycloakEnvironment({ env, secrets });
  const settings = Object.keys(given).filter((name) => name.startsWith('KC_'));
  expect(settings.sort()).toEqual([
    'KC_BOOTSTRAP_ADMIN_PASSWORD',
    'KC_BOOTSTRAP_ADMIN_USERNAME',
    'KC_DB',
    'KC_DB_PASSWORD',
    'KC_DB_POOL_MAX_SIZE',
    'KC_DB_URL',
    'KC_DB_USERNAME',
    'KC_HEALTH_ENABLED',
    'KC_HOSTNAME',
    'KC_HOSTNAME_ADMIN',
    'KC_HOSTNAME_BACKCHANNEL_DYNAMIC',
    'KC_HTTP_ENABLED',
    'KC_PROXY_HEADERS',
  ]);
});
