import type { Knex } from 'knex';

/**
 * Maximum number of deliveries that are made due at once, so that the transaction takes less than a second. Other
 * deliveries become due at their own time.
 */
const maxMadeDue = 10_000;

/**
 * Makes waiting deliveries of a webhook due now. If the webhook was deleted or disabled, its deliveries then end at
 * once. With `untriedOnly`, which is for any other change of the webhook, retries keep their schedule. Locked rows are
 * skipped: the process that has locked them reads the changed webhook itself.
 */
export async function makeDue(
  trx: Knex.Transaction,
  { id, workspaceId }: { id: string; workspaceId: string },
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
