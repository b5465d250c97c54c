import { AppError } from '@tocsin/kit';
import {
  type DeploymentRole,
  deploymentRoles,
  type Permission,
  type WorkspaceRole,
  workspaceRoles,
} from './permissions.js';

/** A caller whose token has been verified. */
export interface Principal {
  issuer: string;
  subject: string;
  /** A name for people; the subject where the token has none. */
  display: string;
  /** Workspace ids are in lower case. */
  workspaceRoles: ReadonlyMap<string, ReadonlySet<WorkspaceRole>>;
  deploymentRoles: ReadonlySet<DeploymentRole>;
}

/** `workspaceId` is null for what belongs to no workspace: only deployment roles reach that. */
export function hasPermission(
  principal: Principal,
  permission: Permission,
  workspaceId: string | null,
): boolean {
  for (const role of principal.deploymentRoles) if (deploymentRoles[role].has(permission)) return true;
  if (workspaceId === null) return false;
  const roles = principal.workspaceRoles.get(workspaceId.toLowerCase()) ?? [];
  for (const role of roles) if (workspaceRoles[role].has(permission)) return true;
  return false;
}

/** @throws AppError `forbidden`, naming the permission. */
export function requirePermission(
  principal: Principal,
  permission: Permission,
  workspaceId: string | null,
): void {
  if (hasPermission(principal, permission, workspaceId)) return;
  const place = workspaceId === null ? 'this deployment' : 'this workspace';
  throw new AppError('forbidden', `This needs the permission ${permission} in ${place}.`);
}
