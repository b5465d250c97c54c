import type { ListAuditEventsQuery } from '@tocsin/client/browser';
import { useWorkspaceList } from './workspace-query.js';

export type AuditFilter = Omit<ListAuditEventsQuery, 'limit'>;

/** Fetches the audit events of the workspace, newest first. Requires `audit_read`. */
export function useAuditEvents(filter: AuditFilter) {
  return useWorkspaceList({
    name: 'audit-events',
    filter,
    list: (client, query, options) => client.auditEvents.list(query, options),
    toItem: (event) => event,
    idOf: ({ id }) => id,
    timeOf: ({ time }) => time,
    isOpen: () => false,
    pollMs: 15_000,
  });
}
