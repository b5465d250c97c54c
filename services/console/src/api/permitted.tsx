import type { Permission } from '@tocsin/identity/browser';
import type { ReactNode } from 'react';
import { useWorkspaceId } from '../paths.js';
import { Loading, Notice } from '../ui/index.js';
import { type Access, checkPermission } from './permissions.js';
import { useWhoami } from './use-workspaces.js';

/** Tells whether the person may do this in the workspace of the address, and why not. */
export function usePermission(permission: Permission): Access {
  const { data } = useWhoami();
  const workspaceId = useWorkspaceId();
  if (data === undefined) return { allowed: false, reason: 'Your permissions are not loaded yet.' };
  return checkPermission(data, permission, workspaceId);
}

export interface PermittedProps {
  permission: Permission;
  /** The action or the content in words, for example `Redelivery`. */
  what: string;
  children: ReactNode;
}

/** Shows its children to people with the permission, and the reason to everyone else. */
export function Permitted({ permission, what, children }: PermittedProps) {
  const { isPending } = useWhoami();
  const { allowed, reason } = usePermission(permission);
  if (isPending) return <Loading what="your permissions" />;
  return allowed ? children : <Notice>{`${what} is not available to you. ${reason}`}</Notice>;
}
