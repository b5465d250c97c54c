import type { Transaction } from '@tocsin/database';
import type { WebhookKey } from './stored-webhook.js';

/** Limit that keeps the transaction below a second. Further deliveries become due at their own time. */
const maxMadeDue = 10_000;

/**
 * Makes waiting deliveries of a webhook due now. Those of a deleted or disabled webhook then end at once; for a changed
 * webhook only deliveries without an attempt are due, because retries keep their schedule. Locked rows are skipped:
 * their worker or caller reads the webhook itself.
 */
export async function makeDue(
  trx: Transaction,
  { id, workspaceId }: WebhookKey,
  { untriedOnly = false } = {},
): Promise<void> {
  await trx.raw(
    `update open_deliveries o set due_at = now()
     from (select delivery_id from open_deliveries
           where state = 'waiting' and workspace_id = ? and webhook_id = ? and due_at > now()
             ${untriedOnly ? 'and step = 0' : ''}
           limit ? for update skip locked) later
     where o.delivery_id = later.delivery_id`,
    [workspaceId, id, maxMadeDue],
  );
}
