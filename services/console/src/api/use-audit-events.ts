import type { ListAuditEventsQuery } from '@tocsin/client/browser';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import { useLiveList } from './live-list.js';

export type AuditFilter = Omit<ListAuditEventsQuery, 'limit'>;

/** Fetches the audit events of the workspace, newest first. Requires `audit_read`. */
export function useAuditEvents(filter: AuditFilter) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  return useLiveList({
    queryKey: [workspaceId, 'audit-events', filter],
    list: (part, options) => client.auditEvents.list({ ...filter, ...part }, options),
    since: filter.since,
    toItem: (event) => event,
    idOf: ({ id }) => id,
    timeOf: ({ time }) => time,
    isOpen: () => false,
    pollMs: 15_000,
  });
}
