import { AppError, type DefineRoute, routeDefiner } from '@tocsin/kit';
import type { FromSchema } from 'json-schema-to-ts';
import {
  type DeploymentRole,
  deploymentRoles,
  type Permission,
  type WorkspaceRole,
  workspaceRoles,
} from './permissions.js';

/** A caller with a verified token. */
export interface Principal {
  issuer: string;
  subject: string;
  /** Display name. Equals `subject` if the token contains no usable name. */
  display: string;
  /** Roles by workspace id. The ids are in lower case. */
  workspaceRoles: ReadonlyMap<string, ReadonlySet<WorkspaceRole>>;
  deploymentRoles: ReadonlySet<DeploymentRole>;
}

/**
 * Returns `issuer#subject`, the id of a principal in records, logs and rate limits. The first `#` ends the issuer,
 * because an issuer is a URL without a fragment. A subject can contain `#`.
 */
export function principalId({ issuer, subject }: Pick<Principal, 'issuer' | 'subject'>): string {
  return `${issuer}#${subject}`;
}

/**
 * Defines a route whose caller is a `Principal`. TypeScript rejects a permission that does not exist. `createHttpApp`
 * of the package kit serves the route.
 */
export const defineRoute: DefineRoute<Principal, Permission> = routeDefiner();

/**
 * Returns true if a role of the principal contains the permission.
 * @param workspaceId null for a resource outside workspaces; only roles in `deploymentRoles` have permissions for it
 */
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

/**
 * Requires a permission.
 * @throws AppError `forbidden`, with the name of the missing permission
 */
export function requirePermission(
  principal: Principal,
  permission: Permission,
  workspaceId: string | null,
): void {
  if (hasPermission(principal, permission, workspaceId)) return;
  const scope = workspaceId === null ? 'this deployment' : 'this workspace';
  throw new AppError('forbidden', `This needs the permission ${permission} in ${scope}.`);
}

export const whoamiSchema = {
  title: 'Whoami',
  description: 'The caller, and its roles by workspace.',
  type: 'object',
  required: ['issuer', 'subject', 'display', 'workspaces', 'deployment_roles'],
  properties: {
    issuer: { type: 'string' },
    subject: { type: 'string' },
    display: { type: 'string' },
    workspaces: {
      type: 'object',
      description: 'Names of roles by workspace id.',
      additionalProperties: {
        type: 'array',
        items: { type: 'string' },
      },
    },
    deployment_roles: {
      type: 'array',
      items: { type: 'string' },
    },
  },
} as const;

export function presentWhoami(principal: Principal): FromSchema<typeof whoamiSchema> {
  const { issuer, subject, display, workspaceRoles, deploymentRoles } = principal;
  return {
    issuer,
    subject,
    display,
    workspaces: Object.fromEntries([...workspaceRoles].map(([id, roles]) => [id, [...roles]])),
    deployment_roles: [...deploymentRoles],
  };
}
