import { type AuditAction, auditActions } from '@tocsin/contracts';
import type { Transaction } from './connection.js';
import { sanitizeText } from './sql-array.js';

/** The principal that made a change. */
export interface AuditAuthor {
  /** Id of the principal (`principalId` of the package identity), or `system`. */
  principal: string;
  /** Display name of the principal. */
  principalName: string;
  /** Id of the HTTP request that made the change; null for automatic changes. */
  requestId: string | null;
}

/** Author of changes that no user made. */
export const systemAuthor: AuditAuthor = { principal: 'system', principalName: 'system', requestId: null };

export interface AuditedChange {
  /** Workspace of the changed resource; null if the resource belongs to no workspace. */
  workspaceId: string | null;
  action: AuditAction;
  resourceId: string;
  /** Names of the fields that an update changed. */
  changedFields?: readonly string[];
}

/**
 * Writes one audit event for each change. `trx` must be the transaction of the changes, so that a change and its event
 * are committed together or not at all. The id of an event begins with its time on the database's clock.
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

// Each id consists of the time in milliseconds (12 hexadecimal digits), the digit 8 and random digits. The digit 8 is
// the version of the UUID (RFC 9562, section 5.8). Ids of the history tables have this version too.
const insertEvents = `
  insert into audit_events (id, time, workspace_id, principal, principal_name, action, resource_type, resource_id,
                            changed_fields, request_id)
  select cast(lpad(to_hex(cast(extract(epoch from clock.time) * 1000 as bigint)), 12, '0')
              || '8' || substr(replace(cast(gen_random_uuid() as text), '-', ''), 14) as uuid),
         clock.time, workspace_id, :principal, :principalName, action, resource_type, resource_id, changed_fields, :requestId
  from (select date_trunc('milliseconds', clock_timestamp()) as time) clock,
       jsonb_to_recordset(cast(:rows as jsonb))
         as change(workspace_id uuid, action text, resource_type text, resource_id uuid, changed_fields text[])`;
