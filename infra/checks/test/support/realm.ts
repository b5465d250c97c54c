import { interpolate, readText } from './compose.js';

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
  clients: RealmClient[];
  users: RealmUser[];
}

export const realmText = readText('infra/keycloak/realm/tocsin-realm.json');

/** The realm as `--import-realm` reads it: `${NAME}` is substituted before the JSON is parsed. */
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
 * Claims of the access token that Keycloak would issue to `user` through `client`, derived from the file's mappers as
 * documented, without a running Keycloak. `sub` comes from the client scope `basic`.
 */
export function deriveClaims(client: RealmClient, user: RealmUser): Record<string, unknown> {
  const claims: Record<string, unknown> = { typ: 'Bearer', azp: client.clientId };
  if (client.defaultClientScopes?.includes('basic')) claims.sub = `id of ${user.username}`;
  for (const { protocolMapper, config } of client.protocolMappers ?? []) {
    if (config['access.token.claim'] !== 'true') continue;
    if (protocolMapper === 'oidc-audience-mapper') {
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

function put(claims: Record<string, unknown>, name: string | undefined, value: unknown): void {
  const [first = '', ...rest] = (name ?? '').split('.');
  const nested = rest.reduceRight((inner: unknown, part) => ({ [part]: inner }), value);
  claims[first] = nested;
}
