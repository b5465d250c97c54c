import type { Permission } from '@tocsin/identity/browser';
import type { ReactNode } from 'react';
import { useWorkspaceId } from '../paths.js';
import { Loading, Notice } from '../ui/index.js';
import { type Access, checkPermission } from './permissions.js';
import { useWhoami } from './use-workspaces.js';

/**
 * Checks a permission of the user in the workspace of the address. If the user lacks the permission, the result
 * contains the reason.
 */
export function usePermission(permission: Permission): Access {
  const { data } = useWhoami();
  const workspaceId = useWorkspaceId();
  if (data === undefined) return { allowed: false, reason: 'Your permissions are not loaded yet.' };
  return checkPermission(data, permission, workspaceId);
}

export interface PermittedProps {
  permission: Permission;
  /** Name of the action or content, for example `Redelivery`. */
  what: string;
  children: ReactNode;
}

/** Shows its children to users who have the permission. Other users see why the action or content is not available. */
export function Permitted({ permission, what, children }: PermittedProps) {
  const { isPending } = useWhoami();
  const { allowed, reason } = usePermission(permission);
  if (isPending) return <Loading what="your permissions" />;
  return allowed ? children : <Notice>{`${what} is not available to you. ${reason}`}</Notice>;
}
