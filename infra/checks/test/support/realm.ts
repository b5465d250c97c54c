import { basename } from 'node:path';
import { composeService, interpolate, mountedSecrets, readText } from './compose.js';
import type { Deployment } from './variables.js';

interface Mapper {
  protocolMapper: string;
  config: Record<string, string>;
}

export interface RealmClient {
  clientId: string;
  bearerOnly?: boolean;
  publicClient?: boolean;
  serviceAccountsEnabled?: boolean;
  standardFlowEnabled?: boolean;
  directAccessGrantsEnabled?: boolean;
  secret?: string;
  redirectUris?: string[];
  attributes?: Record<string, string>;
  defaultClientScopes?: string[];
}

interface ClientScope {
  name: string;
  protocolMappers?: Mapper[];
}

export interface RealmUser {
  username: string;
  serviceAccountClientId?: string;
  realmRoles?: string[];
  groups?: string[];
}

interface Group {
  name: string;
  path: string;
  subGroups?: Group[];
}

export interface Realm {
  realm: string;
  accessTokenLifespan: number;
  defaultSignatureAlgorithm: string;
  roles: { realm: { name: string }[] };
  groups: Group[];
  clientScopes: ClientScope[];
  /** Scopes of clients that list no scopes, for example of a client that was created in Keycloak's console. */
  defaultDefaultClientScopes: string[];
  clients: RealmClient[];
  users: RealmUser[];
}

export const realmText = readText('infra/keycloak/realm/tocsin-realm.json');

/** Parses the realm file as `--import-realm` does: `${NAME}` is substituted before the JSON is parsed. */
export function readRealm(env: Readonly<Record<string, string>>): Realm {
  return JSON.parse(interpolate(realmText, env)) as Realm;
}

export function groupPaths(groups: Group[], parent = ''): string[] {
  return groups.flatMap((group) => {
    const path = `${parent}/${group.name}`;
    if (path !== group.path) throw new Error(`The group ${path} says that it is ${group.path}.`);
    return [path, ...groupPaths(group.subGroups ?? [], path)];
  });
}

/**
 * Returns the claims of the access token that Keycloak issues to `user` through a client. They are derived from the
 * mappers of the client's scopes, as documented by Keycloak.
 */
export function deriveClaims(
  { clientScopes, defaultDefaultClientScopes }: Pick<Realm, 'clientScopes' | 'defaultDefaultClientScopes'>,
  { clientId, defaultClientScopes = defaultDefaultClientScopes }: RealmClient,
  user: RealmUser,
): Record<string, unknown> {
  const claims: Record<string, unknown> = { typ: 'Bearer', azp: clientId };
  const assigned = clientScopes.filter(({ name }) => defaultClientScopes.includes(name));
  for (const { protocolMapper, config } of assigned.flatMap(({ protocolMappers = [] }) => protocolMappers)) {
    if (config['access.token.claim'] !== 'true' || withoutMeaning.has(protocolMapper)) continue;
    if (protocolMapper === 'oidc-sub-mapper') claims.sub = `id of ${user.username}`;
    else if (protocolMapper === 'oidc-audience-mapper') {
      claims.aud = [...((claims.aud as string[]) ?? []), config['included.client.audience']];
    } else if (protocolMapper === 'oidc-group-membership-mapper') {
      const isFull = config['full.path'] === 'true';
      const groups = user.groups ?? [];
      put(claims, config['claim.name'], isFull ? groups : groups.map((path) => path.split('/').at(-1)));
    } else if (protocolMapper === 'oidc-usermodel-realm-role-mapper') {
      put(claims, config['claim.name'], user.realmRoles ?? []);
    } else throw new Error(`What ${protocolMapper} does is not known here.`);
  }
  return claims;
}

/**
 * Mappers of Keycloak's built-in scopes. `deriveClaims` skips them, because the tests need none of the claims that they
 * add. Tocsin reads only one of these claims: a name for display.
 */
const withoutMeaning = new Set([
  'oidc-usersessionmodel-note-mapper',
  'oidc-usermodel-attribute-mapper',
  'oidc-usermodel-property-mapper',
  'oidc-usermodel-client-role-mapper',
  'oidc-full-name-mapper',
  'oidc-audience-resolve-mapper',
  'oidc-allowed-origins-mapper',
  'oidc-acr-mapper',
]);

function put(claims: Record<string, unknown>, name: string | undefined, value: unknown): void {
  const [first = '', ...rest] = (name ?? '').split('.');
  const nested = rest.reduceRight((inner: unknown, part) => ({ [part]: inner }), value);
  claims[first] = nested;
}

/**
 * Returns the variables of Keycloak's process: those of the compose file, and those that start.sh sets from secrets.
 */
export function keycloakEnvironment({ env, secrets }: Deployment): Record<string, string> {
  const given = Object.entries(composeService('keycloak').environment);
  return {
    ...Object.fromEntries(given.map(([name, text]) => [name, interpolate(String(text), env)])),
    ...Object.fromEntries(
      mountedSecrets('keycloak').map(({ path, secret }) => [basename(path), secrets[secret] ?? '']),
    ),
  };
}
