import { randomBytes } from 'node:crypto';

/** Roles of an account, as values of the claims that Keycloak uses. */
export interface Roles {
  /** Claim `groups`: paths in the format `/workspaces/{id}/{role}`. */
  groups: string[];
  /** Claim `realm_access.roles`: roles that apply to the whole deployment, for example `tocsin_admin`. */
  realmRoles: string[];
}

export interface ServiceClient {
  clientId: string;
  clientSecret: string;
  roles: Roles;
}

export interface User {
  /** Id of the user and claim `sub` of their tokens. */
  id: string;
  password: string;
  roles: Roles;
}

/** All accounts. Service accounts use client credentials. Users sign in with name and password in the browser. */
export interface Accounts {
  services: Record<string, ServiceClient>;
  users: Record<string, User>;
}

const roleNames = ['admin', 'editor', 'reader', 'publisher', 'outsider', 'responder'] as const;
export type RoleName = (typeof roleNames)[number];

export interface Workspaces {
  workspaceId: string;
  otherWorkspaceId: string;
}

/**
 * For each role, creates a service account with a random secret and a user with a random password. The two accounts
 * `outsider` have only the role admin in the workspace `otherWorkspaceId`.
 */
export function makeAccounts(workspaces: Workspaces): Accounts & {
  services: Record<RoleName, ServiceClient>;
  users: Record<RoleName, User>;
} {
  const forEachRole = <T>(make: (name: RoleName) => T) =>
    Object.fromEntries(roleNames.map((name) => [name, make(name)])) as Record<RoleName, T>;
  return {
    services: forEachRole((name) => ({
      clientId: `tocsin-${name}`,
      clientSecret: randomBytes(24).toString('base64url'),
      roles: rolesOf(name, workspaces),
    })),
    users: forEachRole((name) => ({
      id: `user-${name}`,
      password: randomBytes(9).toString('base64url'),
      roles: rolesOf(name, workspaces),
    })),
  };
}

function rolesOf(name: RoleName, { workspaceId, otherWorkspaceId }: Workspaces): Roles {
  if (name === 'outsider') return { groups: [`/workspaces/${otherWorkspaceId}/admin`], realmRoles: [] };
  return {
    groups: [`/workspaces/${workspaceId}/${name}`],
    realmRoles: name === 'admin' ? ['tocsin_admin', 'tocsin_engine_admin'] : [],
  };
}
