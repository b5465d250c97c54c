import type { Transaction } from '@tocsin/database';

/**
 * Serializes the changes of a workspace's alert rules until the transaction ends. The lock prevents two problems. A
 * change locks a rule before its webhooks and a forced deletion locks a webhook before its rules, which could deadlock.
 * Concurrent creations could exceed the maximum number of rules.
 */
export async function lockRules(trx: Transaction, workspaceId: string): Promise<void> {
  await trx.raw(`select pg_advisory_xact_lock(hashtextextended('alert_rules/' || ?, 0))`, [workspaceId]);
}
