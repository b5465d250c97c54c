import { type AuditAction, auditActions } from '@tocsin/contracts';
import type { Transaction } from './connection.js';
import { sanitizeText } from './sql-array.js';

/** The author of a change. */
export interface AuditAuthor {
  /** Issuer and subject, or `system`. */
  principal: string;
  /** Display name. */
  principalName: string;
  /** Id of the HTTP request. */
  requestId: string | null;
}

/** Author of automatic changes. */
export const systemAuthor: AuditAuthor = { principal: 'system', principalName: 'system', requestId: null };

export interface AuditedChange {
  /** Null for a resource outside workspaces. */
  workspaceId: string | null;
  action: AuditAction;
  resourceId: string;
  /** Names of the fields that an update has changed. */
  changedFields?: readonly string[];
}

/**
 * Writes an audit event for each change, in the transaction of the changes: a change without its event, or an event without
 * its change, cannot be committed. Ids begin with the time of the database's clock.
 */
export async function recordChanges(
  trx: Transaction,
  { principal, principalName, requestId }: AuditAuthor,
  changes: readonly AuditedChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ workspaceId, action, resourceId, changedFields = [] }) => ({
    workspace_id: workspaceId,
    action,
    resource_type: auditActions[action],
    resource_id: resourceId,
    changed_fields: changedFields,
  }));
  await trx.raw(insertEvents, {
    rows: JSON.stringify(rows),
    principal: sanitizeText(principal),
    principalName: sanitizeText(principalName),
    requestId,
  });
}

// The digit 8 is the version of the UUID (RFC 9562, section 5.8), as in ids of other histories.
const insertEvents = `
  insert into audit_events (id, time, workspace_id, principal, principal_name, action, resource_type, resource_id,
                            changed_fields, request_id)
  select cast(lpad(to_hex(cast(extract(epoch from clock.time) * 1000 as bigint)), 12, '0')
              || '8' || substr(replace(cast(gen_random_uuid() as text), '-', ''), 14) as uuid),
         clock.time, workspace_id, :principal, :principalName, action, resource_type, resource_id, changed_fields, :requestId
  from (select date_trunc('milliseconds', clock_timestamp()) as time) clock,
       jsonb_to_recordset(cast(:rows as jsonb))
         as change(workspace_id uuid, action text, resource_type text, resource_id uuid, changed_fields text[])`;
