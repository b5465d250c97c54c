import { type DeploymentRole, deploymentRoles, type WorkspaceRole, workspaceRoles } from './permissions.js';

type Claims = Readonly<Record<string, unknown>>;

const uuid = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';
const workspaceGroup = new RegExp(`^/workspaces/(${uuid})/([a-z]+)$`);

/**
 * Reads the entries of a claim that have the form `/workspaces/{id}/{role}`. The id may be in upper or lower case; the
 * rest must be in lower case. Other entries are ignored.
 */
export function workspaceRolesFrom(claims: Claims, claimName: string): Map<string, Set<WorkspaceRole>> {
  const roles = new Map<string, Set<WorkspaceRole>>();
  for (const group of textsOf(readClaim(claims, claimName))) {
    const [, workspace = '', role = ''] = workspaceGroup.exec(group) ?? [];
    if (!isWorkspaceRole(role)) continue;
    const id = workspace.toLowerCase();
    roles.set(id, (roles.get(id) ?? new Set()).add(role));
  }
  return roles;
}

export function deploymentRolesFrom(claims: Claims, claimName: string): Set<DeploymentRole> {
  return new Set(textsOf(readClaim(claims, claimName)).filter(isDeploymentRole));
}

/** Reads a claim by its full name, which can be a URL with dots, or by a path such as `realm_access.roles`. */
function readClaim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const step of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Claims)[step];
  }
  return value;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function isWorkspaceRole(role: string): role is WorkspaceRole {
  return Object.hasOwn(workspaceRoles, role);
}

function isDeploymentRole(role: string): role is DeploymentRole {
  return Object.hasOwn(deploymentRoles, role);
}
