import type { Database } from '@tocsin/database';
import type { Knex } from 'knex';

/** Result of a request to cancel one delivery. The delivery was changed only if the result is `cancelled`. */
export type CancelOutcome = 'cancelled' | 'sending' | 'ended';

/**
 * Cancels an existing delivery. It is safe to call this function concurrently with itself and with workers. `onChange`
 * runs in the transaction of the cancellation, and only if the delivery was cancelled.
 */
export async function cancelDelivery(
  { knex }: Database,
  deliveryId: string,
  onChange?: (trx: Knex.Transaction) => Promise<void>,
): Promise<CancelOutcome> {
  return knex.transaction(async (trx) => {
    if ((await cancelOpen(trx, [deliveryId])).length > 0) {
      await onChange?.(trx);
      return 'cancelled';
    }
    const open = await trx('open_deliveries').select('delivery_id').where({ delivery_id: deliveryId });
    return open.length > 0 ? 'sending' : 'ended';
  });
}

/**
 * Ends open deliveries among `ids` as skipped and returns their ids. Deliveries that a live worker is sending are left
 * unchanged. The lease is read by a scalar subquery, because it is read again after a wait for a row that a claim had
 * locked. The result of `not exists` would then be that of the row before the claim. Rows are locked in the same order
 * as in workers: first open_deliveries, then deliveries, each by id. Messages of a cancelled delivery remain in the
 * queue; their consumers find no row to claim.
 */
export async function cancelOpen(trx: Knex.Transaction, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `with locked as materialized (
       select o.delivery_id from open_deliveries o
       where o.delivery_id = any(cast(:ids as uuid[]))
         and coalesce((select w.lease_until <= now() from workers w where w.id = o.claimed_by), true)
       order by o.delivery_id for update of o
     ), deleted as (
       delete from open_deliveries o using locked
       where o.delivery_id = any(cast(:ids as uuid[])) and o.delivery_id = locked.delivery_id
       returning o.delivery_id, o.claim
     )
     update deliveries d
     set status = 'skipped', error_code = 'cancelled', error = 'The delivery was cancelled by hand.',
         claims = greatest(d.claims, deleted.claim)
     from deleted where d.id = any(cast(:ids as uuid[])) and d.id = deleted.delivery_id
     returning d.id`,
    { ids },
  );
  return rows.map(({ id }) => id);
}
