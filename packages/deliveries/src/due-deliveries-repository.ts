import type { Knex } from 'knex';

/**
 * Maximum number of deliveries that one call makes due, so that the transaction takes less than a second. Further
 * deliveries of the webhook keep their scheduled times. Those that wait for a signing secret are due within about a
 * minute.
 */
const maxMadeDue = 10_000;

const conditions = {
  // Deliveries that have used a step of the retry schedule keep their times.
  unretried: 'and step = 0',
  no_signing_secret: "and waiting_reason = 'no_signing_secret'",
};

/**
 * Makes waiting deliveries of a webhook due now, after a change of the webhook. If the webhook was deleted or disabled,
 * workers then end these deliveries without sending them. After any other change, callers set `only`. Locked rows are
 * skipped, because the process that has locked them reads the changed webhook itself.
 */
export async function makeDue(
  trx: Knex.Transaction,
  { id, workspaceId }: { id: string; workspaceId: string },
  { only }: { only?: keyof typeof conditions } = {},
): Promise<void> {
  await trx.raw(
    `update open_deliveries o set due_at = now()
     from (select delivery_id from open_deliveries
           where state = 'waiting' and workspace_id = ? and webhook_id = ? and due_at > now()
             ${only === undefined ? '' : conditions[only]}
           limit ? for update skip locked) later
     where o.delivery_id = later.delivery_id`,
    [workspaceId, id, maxMadeDue],
  );
}
