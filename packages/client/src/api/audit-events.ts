import { createPaged, type Paged, path } from './requests.js';
import type { AuditEvent, ListAuditEventsQuery } from './schemas.js';
import type { CallOptions, Send } from './transport.js';

/** Lists of audit events, newest first. An event has a principal, a time, an action and the changed field names. */
export interface AuditEventsApi {
  /** Lists the audit events of the workspace. The caller must be an admin of the workspace. */
  list(query?: ListAuditEventsQuery, options?: CallOptions): Paged<AuditEvent>;
  /**
   * Lists the audit events of all workspaces and of the engine's keys. The caller needs the role `tocsin_admin`, which
   * applies to all workspaces.
   */
  listAll(query?: ListAuditEventsQuery, options?: CallOptions): Paged<AuditEvent>;
}

export function createAuditEventsApi(send: Send, workspace: () => string): AuditEventsApi {
  return {
    list: (query, options) =>
      createPaged(send, { path: path`/api/v1/workspaces/${workspace()}/audit_events`, query, options }),
    listAll: (query, options) => createPaged(send, { path: '/api/v1/audit_events', query, options }),
  };
}
