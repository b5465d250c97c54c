import type { Transaction } from '@tocsin/database';

/**
 * Serializes the changes of a workspace's alert rules until the transaction ends. A change locks a rule before its
 * webhooks, a forced deletion a webhook before its rules; without this lock they could deadlock. Concurrent creations
 * could exceed the limit on rules.
 */
export async function lockRules(trx: Transaction, workspaceId: string): Promise<void> {
  await trx.raw(`select pg_advisory_xact_lock(hashtextextended('alert_rules/' || ?, 0))`, [workspaceId]);
}
