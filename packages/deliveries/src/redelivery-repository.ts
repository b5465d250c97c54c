import { endedStatuses } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';
import type { Knex } from 'knex';

/** Result of a request to redeliver one delivery. */
export type RedeliverOutcome =
  /** The delivery had ended. It is open again in a new run, at the start of the retry schedule. */
  | 'reopened'
  /** The delivery was waiting. Its next attempt is due now. */
  | 'brought_forward'
  /** The next attempt is queued, or was claimed by a worker whose lease has expired. Nothing was changed. */
  | 'queued'
  /** A worker with a valid lease has claimed the delivery. Nothing was changed. */
  | 'sending'
  | 'not_found';

/**
 * Redelivers one delivery now. It is safe to call this function concurrently with itself and with workers: rows are
 * locked in the same order as in workers, first open_deliveries, then deliveries. `onChange` runs in the transaction of
 * the change, and only if there was a change.
 */
export async function redeliver(
  database: Database,
  deliveryId: string,
  onChange?: (trx: Knex.Transaction) => Promise<void>,
): Promise<RedeliverOutcome> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    // Each call of `redeliverOnce` needs its own transaction: a call without a result has locked the row of
    // `deliveries`, and the next call must lock `open_deliveries` before it, as workers do.
    const outcome = await database.knex.transaction(async (trx) => {
      const reached = await redeliverOnce(trx, deliveryId);
      if (reached === 'reopened' || reached === 'brought_forward') await onChange?.(trx);
      return reached;
    });
    if (outcome !== undefined) return outcome;
  }
  return 'queued';
}

/**
 * Makes a waiting delivery due (first statement), or starts a new run of an ended one (second statement). A delivery
 * that is queued, being sent or unknown is left unchanged. Resolves to undefined if another caller reopened the
 * delivery between the two statements. A repeated call then finds the delivery open.
 */
async function redeliverOnce(
  trx: Knex.Transaction,
  deliveryId: string,
): Promise<RedeliverOutcome | undefined> {
  const outcome = await bringForward(trx, deliveryId);
  if (outcome !== undefined) return outcome;
  const reopened = await reopenEnded(trx, { ids: [deliveryId], statuses: endedStatuses });
  if (reopened.length > 0) return 'reopened';
  return (await exists(trx, deliveryId)) ? undefined : 'not_found';
}

/**
 * Starts a new run, due now, for the deliveries in `ids` whose status is in `statuses`. All `statuses` must be statuses
 * of ended deliveries. Returns the ids of the deliveries with a new run. Other deliveries are left unchanged. Rows are
 * locked in the order of their ids.
 */
export async function reopenEnded(
  trx: Knex.Transaction,
  { ids, statuses }: { ids: string[]; statuses: readonly string[] },
): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await trx.raw(
    `with locked as (
       select id from deliveries where id = any(cast(:ids as uuid[])) and status = any(cast(:statuses as text[]))
       order by id for update
     ), reopened as (
       update deliveries d set status = 'open', failed_at = null, run = d.run + 1
       from locked where d.id = locked.id and d.id = any(cast(:ids as uuid[]))
       returning d.id, d.workspace_id, d.webhook_id, d.alert_record_id, d.run, d.claims
     )
     insert into open_deliveries (delivery_id, workspace_id, webhook_id, alert_record_id, run, state, due_at,
                                  step, opened_at, manual, claim)
     select id, workspace_id, webhook_id, alert_record_id, run, 'waiting', now(), 0, now(), true, claims
     from reopened
     returning delivery_id as id`,
    { ids, statuses: [...statuses] },
  );
  return rows.map((row: { id: string }) => row.id);
}

/**
 * Maximum number of calls of `redeliverOnce` for one redelivery. Each further call is needed only if another caller has
 * redelivered the same delivery during the previous call.
 */
const maxTries = 3;

/** Makes a waiting delivery due now. Changes no other delivery. Resolves to undefined if the delivery is not open. */
async function bringForward(
  trx: Knex.Transaction,
  deliveryId: string,
): Promise<RedeliverOutcome | undefined> {
  const { rows } = await trx.raw(
    `select state,
            exists (select from workers w where w.id = o.claimed_by and w.lease_until > now()) as sending
     from open_deliveries o where delivery_id = :deliveryId for update of o`,
    { deliveryId },
  );
  if (rows.length === 0) return undefined;
  if (rows[0].state === 'queued') return rows[0].sending ? 'sending' : 'queued';
  await trx.raw(
    `update open_deliveries set due_at = least(due_at, now()), manual = true where delivery_id = :deliveryId`,
    { deliveryId },
  );
  return 'brought_forward';
}

async function exists(trx: Knex.Transaction, deliveryId: string): Promise<boolean> {
  const { rows } = await trx.raw('select 1 from deliveries where id = :deliveryId', { deliveryId });
  return rows.length > 0;
}
