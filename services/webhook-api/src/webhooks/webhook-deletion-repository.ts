import { type AuditedChange, recordChanges, type Transaction } from '@tocsin/database';
import { makeDue } from '@tocsin/deliveries';
import type { Knex } from 'knex';
import { lockRules } from '../alert-rules/lock-rules.js';
import type { ChangeAuthor } from '../change.js';
import type { WebhookKey } from './stored-webhook.js';

export interface RuleName {
  id: string;
  name: string;
}

export interface Deletion {
  /** True: the webhook is first removed from rules and settings that use it, which increases their versions. */
  detach: boolean;
  author: ChangeAuthor;
  at: Date;
}

export type DeleteOutcome =
  | { kind: 'deleted'; rules: RuleName[] }
  | { kind: 'missing' }
  /** Alert rules call the webhook, or it receives the notices of the workspace. */
  | { kind: 'in_use'; rules: RuleName[]; forNotices: boolean };

/**
 * Deletes a webhook that is not in use. With `detach`, a webhook in use is detached first.
 * @throws AppError `precondition_failed` if `If-Match` names another version
 */
export async function deleteWebhook(
  trx: Transaction,
  { id, workspaceId }: WebhookKey,
  { detach, author, at }: Deletion,
): Promise<DeleteOutcome> {
  if (detach) await lockRules(trx, workspaceId);
  // Attaching a webhook to a rule locks the webhook's row, because of a foreign key. While the following statement
  // locks the row for the deletion, the webhook therefore cannot be attached.
  const [locked] = await trx('webhooks').select('version').where({ id }).forUpdate();
  if (locked === undefined) return { kind: 'missing' };
  author.requireVersion(locked.version);
  const rules: RuleName[] = await trx('alert_rule_webhooks as a')
    .join('alert_rules as r', 'r.id', 'a.alert_rule_id')
    .select('r.id', 'r.name')
    .where({ 'a.webhook_id': id, 'r.deleted_at': null })
    .orderBy(['r.name', 'r.id']);
  const forNotices = (await settingsWithNotices(trx, { id, workspaceId }).forUpdate()).length > 0;
  if (!detach && (rules.length > 0 || forNotices)) return { kind: 'in_use', rules, forNotices };
  const changed = {
    version: trx.raw('version + 1'),
    updated_at: at,
    last_updated_by: author.principal,
  };
  const ruleIds = rules.map((rule) => rule.id);
  if (rules.length > 0) {
    // Workers also lock several rules in the order of their ids. The update alone would lock them in the order of its
    // plan, and could deadlock with a worker.
    await trx('alert_rules').select('id').whereIn('id', ruleIds).orderBy('id').forNoKeyUpdate();
    await trx('alert_rules').whereIn('id', ruleIds).update(changed);
  }
  if (forNotices)
    await trx('workspace_settings')
      .where({ workspace_id: workspaceId })
      .update({
        ...changed,
        notice_webhook_ids: trx.raw('array_remove(notice_webhook_ids, cast(? as uuid))', [id]),
      });
  await trx('alert_rule_webhooks').where({ webhook_id: id }).delete();
  await trx('webhook_pauses').where({ webhook_id: id }).delete();
  await trx('webhook_health').where({ webhook_id: id }).delete();
  await trx('webhooks').where({ id }).delete();
  await makeDue(trx, { id, workspaceId });
  await recordChanges(trx, author, deletionChanges({ id, workspaceId }, { ruleIds, forNotices }));
  return { kind: 'deleted', rules };
}

/** Finds the settings of the workspace if they name the webhook for notices. */
export function settingsWithNotices(knex: Knex, { id, workspaceId }: WebhookKey) {
  return knex('workspace_settings')
    .select('workspace_id')
    .where({ workspace_id: workspaceId })
    .whereRaw('? = any(notice_webhook_ids)', [id]);
}

/** Returns the audited changes: the deletion of the webhook, and its removal from rules and settings. */
function deletionChanges(
  { id, workspaceId }: WebhookKey,
  { ruleIds, forNotices }: { ruleIds: string[]; forNotices: boolean },
): AuditedChange[] {
  const detached = ruleIds.map((resourceId): AuditedChange => {
    const changedFields = ['notification_webhook_ids'];
    return { workspaceId, action: 'alert_rule.updated', resourceId, changedFields };
  });
  const settings: AuditedChange = {
    workspaceId,
    action: 'workspace_settings.updated',
    resourceId: workspaceId,
    changedFields: ['notice_webhook_ids'],
  };
  return [
    { workspaceId, action: 'webhook.deleted', resourceId: id },
    ...detached,
    ...(forNotices ? [settings] : []),
  ];
}
