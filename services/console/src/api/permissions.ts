import type { Whoami } from '@tocsin/client/browser';
import {
  type DeploymentRole,
  deploymentRoles,
  type Permission,
  type WorkspaceRole,
  workspaceRoles,
} from '@tocsin/identity/browser';

export type Access = { allowed: true; reason: null } | { allowed: false; reason: string };

/**
 * Checks a permission with the same table of roles that the API uses. The result only decides what the console shows,
 * because the API checks every request itself.
 */
export function checkPermission(whoami: Whoami, permission: Permission, workspaceId: string): Access {
  const granted: readonly string[] = grantingRoles(permission);
  const roles = rolesIn(whoami, workspaceId);
  if (roles.some((role) => granted.includes(role))) return { allowed: true, reason: null };
  const workspaceOnly = granted.filter((role) => role in workspaceRoles);
  const needed = workspaceOnly.length > 0 ? workspaceOnly : granted;
  const scope = workspaceOnly.length > 0 ? 'in this workspace' : 'of the deployment';
  return { allowed: false, reason: `It needs the role ${either(needed)} ${scope}. ${describeRoles(roles)}` };
}

/** Returns the roles of the user that apply in a workspace: the roles in this workspace and the deployment roles. */
function rolesIn(whoami: Whoami, workspaceId: string): string[] {
  return [...(whoami.workspaces[workspaceId.toLowerCase()] ?? []), ...whoami.deployment_roles];
}

export function grantingRoles(permission: Permission): (WorkspaceRole | DeploymentRole)[] {
  const all = { ...workspaceRoles, ...deploymentRoles };
  return (Object.keys(all) as (WorkspaceRole | DeploymentRole)[]).filter((role) => all[role].has(permission));
}

function describeRoles(roles: readonly string[]): string {
  if (roles.length === 0) return 'You have no role here.';
  return roles.length === 1 ? `Your role is ${roles[0]}.` : `Your roles are ${roles.join(', ')}.`;
}

function either(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
