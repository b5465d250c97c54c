import type { Knex } from 'knex';
import type { Database } from './connection.js';

/** What asking for a delivery again has led to. */
export type RedeliverOutcome =
  /** It had ended: it is open again, with a new run and a fresh schedule. */
  | 'reopened'
  /** It was waiting for its next attempt: that is due now. */
  | 'brought_forward'
  /** It is queued: its attempt comes without our doing. */
  | 'under_way'
  /** Its request is being made just now. Nothing was changed. */
  | 'sending'
  | 'not_found';

/**
 * Asks for one delivery again. Safe beside workers and beside itself: locks go in the order that workers take them,
 * the row of open_deliveries first, then the row of deliveries.
 */
export async function redeliver(database: Database, deliveryId: string): Promise<RedeliverOutcome> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    // Each in a transaction of its own: a try that came to nothing holds the row of deliveries, and must not take it
    // along to a row of open_deliveries that a worker has.
    const outcome = await database.knex.transaction((trx) => redeliverOnce(trx, deliveryId));
    if (outcome !== undefined) return outcome;
  }
  return 'under_way';
}

/** Undefined where another caller has reopened it between our two statements: its open row is there to be seen now. */
async function redeliverOnce(
  trx: Knex.Transaction,
  deliveryId: string,
): Promise<RedeliverOutcome | undefined> {
  const hastened = await hasten(trx, deliveryId);
  if (hastened !== undefined) return hastened;
  const reopened = await reopenEnded(trx, { ids: [deliveryId], statuses: endedStatuses });
  if (reopened.length > 0) return 'reopened';
  return (await exists(trx, deliveryId)) ? undefined : 'not_found';
}

/**
 * Gives ended deliveries a new run that is due now; those that are open already are left alone. The ids that
 * were reopened. Rows are locked in the order of their ids.
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

const endedStatuses = ['succeeded', 'failed', 'skipped'] as const;

/** Each further try means that someone else redelivered the same delivery meanwhile. */
const maxTries = 3;

/** Undefined where nothing is owed, so that there is nothing to hasten. */
async function hasten(trx: Knex.Transaction, deliveryId: string): Promise<RedeliverOutcome | undefined> {
  const { rows } = await trx.raw(
    `select state, claimed and lease_until > now() as sending from open_deliveries
     where delivery_id = :deliveryId for update`,
    { deliveryId },
  );
  if (rows.length === 0) return undefined;
  if (rows[0].state === 'queued') return rows[0].sending ? 'sending' : 'under_way';
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
