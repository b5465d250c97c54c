import type { AuditEvent } from '@tocsin/contracts';
import { type Database, readWithTimeout } from '@tocsin/database';
import type { IdRange } from '@tocsin/deliveries';
import { definedOnly, newestInRange } from '../lists/list-query.js';
import { searchTimeoutMs } from '../lists/search-limiter.js';

/** An event as the API shows it, but for its time. */
export type StoredAuditEvent = Omit<AuditEvent, 'time'> & { time: Date };

interface AuditQuery {
  /** Undefined for all workspaces and what is outside them. */
  workspaceId: string | undefined;
  filter: {
    resource_id?: string | undefined;
    principal?: string | undefined;
    action?: string | undefined;
  };
  range: IdRange;
  limit: number;
}

export interface AuditEventsReader {
  /** Lists events, newest first. */
  list(query: AuditQuery): Promise<StoredAuditEvent[]>;
}

export function createAuditEventsReader(database: Database): AuditEventsReader {
  return {
    list: ({ workspaceId, filter: { resource_id, principal, action }, range, limit }) =>
      readWithTimeout(database, searchTimeoutMs, (trx) =>
        trx('audit_events')
          .select(columns)
          .where(definedOnly({ workspace_id: workspaceId, resource_id, principal, action }))
          .modify(newestInRange, { column: 'id', range, limit }),
      ),
  };
}

const columns: (keyof StoredAuditEvent)[] = [
  'id',
  'time',
  'workspace_id',
  'principal',
  'principal_name',
  'action',
  'resource_type',
  'resource_id',
  'changed_fields',
  'request_id',
];
