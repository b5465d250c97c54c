import { lockName, type Transaction } from '@tocsin/database';

/**
 * Serializes the changes of a workspace's alert rules until the transaction ends. Without this lock, concurrent
 * creations could exceed the maximum number of rules. A change of a rule and the deletion of a webhook that rules use
 * could also deadlock, because they lock rules and webhooks in opposite orders.
 */
export async function lockRules(trx: Transaction, workspaceId: string): Promise<void> {
  await lockName(trx, `alert_rules/${workspaceId}`);
}
