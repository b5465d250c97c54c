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

/**
 * Shows its children to users who have the permission. Other users see why the action or content is not available. If
 * the permissions could not be loaded, it shows nothing, because the layout of the page shows the error.
 */
export function Permitted({ permission, what, children }: PermittedProps) {
  const { data, isPending } = useWhoami();
  const { allowed, reason } = usePermission(permission);
  if (isPending) return <Loading what="your permissions" />;
  if (data === undefined) return null;
  return allowed ? children : <Notice>{`${what} is not available to you. ${reason}`}</Notice>;
}
