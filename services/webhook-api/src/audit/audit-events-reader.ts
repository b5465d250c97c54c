import { type AuditEvent, auditEventSchema } from '@tocsin/contracts';
import { type Database, readWithTimeout, type Transaction } from '@tocsin/database';
import type { IdRange } from '@tocsin/deliveries';
import { countUpTo, definedOnly, inRange, newestInRange } from '../lists/list-query.js';
import { searchTimeoutMs } from '../lists/read-limiter.js';

/** An event as the API shows it, except that its time is a Date. */
export type StoredAuditEvent = Omit<AuditEvent, 'time'> & { time: Date };

export interface AuditSelection {
  /** Selects the events of one workspace. Undefined selects all events, including those without a workspace. */
  workspaceId: string | undefined;
  filter: {
    resource_id?: string | undefined;
    principal?: string | undefined;
    action?: string | undefined;
  };
}

interface AuditQuery extends AuditSelection {
  range: IdRange;
}

export interface AuditEventsReader {
  /** Lists events, newest first. */
  list(query: AuditQuery & { limit: number }): Promise<StoredAuditEvent[]>;
  /** Counts events, up to `max`. */
  count(query: AuditQuery, max: number): Promise<number>;
}

export function createAuditEventsReader(database: Database): AuditEventsReader {
  return {
    list: ({ range, limit, ...query }) =>
      readWithTimeout(database, searchTimeoutMs, (trx) =>
        matching(trx, query)
          .select(...auditEventSchema.required)
          .modify(newestInRange, { column: 'id', range, limit }),
      ),

    count: ({ range, ...query }, max) =>
      readWithTimeout(database, searchTimeoutMs, (trx) =>
        countUpTo(trx, matching(trx, query).select('id').modify(inRange, { column: 'id', range }), max),
      ),
  };
}

function matching(trx: Transaction, { workspaceId, filter }: AuditSelection) {
  const { resource_id, principal, action } = filter;
  return trx('audit_events').where(
    definedOnly({ workspace_id: workspaceId, resource_id, principal, action }),
  );
}
