import { type Database, firstIdAt } from '@tocsin/database';
import { alertIdsOfRun } from '../load/alert-ids.js';

/**
 * Numbers of database rows after a run. `open` and `deadLetters` count the rows of all runs, the other numbers only the
 * rows of this run. If every delivery succeeded with its first attempt, `alerts` and `keys` equal the number of alerts,
 * `open` and `deadLetters` are 0, and all others equal the number of deliveries.
 */
export interface StoredOutcome {
  alerts: number;
  keys: number;
  deliveries: number;
  /** Number of deliveries that succeeded with status 200 in their first attempt. */
  succeeded: number;
  attempts: number;
  /**
   * Number of first attempts with a complete record: the attempt belongs to the last claim of its delivery, has status
   * 200, and has more than 200 encrypted bytes of request and response.
   */
  soundAttempts: number;
  open: number;
  deadLetters: number;
}

/**
 * Reads the rows of a run.
 * @param options.sinceMs Unix time before the first alert, in milliseconds. The ids of alerts and deliveries begin with
 * the time of acceptance, so a bound on the ids excludes rows that were written before `sinceMs`
 */
export async function readOutcome(
  database: Database,
  { run, sinceMs }: { run: number; sinceMs: number },
): Promise<StoredOutcome> {
  const { first, last } = alertIdsOfRun(run);
  const since = firstIdAt(sinceMs);
  const { rows } = await database.knex.raw(
    `with d as (
       select id, status, status_code, attempts_made, claims, first_succeeded_at from deliveries
       where id >= :since::uuid and alert_id between :first::uuid and :last::uuid
     )
     select (select count(*)::integer from alerts
             where id >= :since::uuid and alert_id between :first::uuid and :last::uuid) as alerts,
            (select count(*)::integer from alert_keys
             where alert_id between :first::uuid and :last::uuid) as keys,
            (select count(*)::integer from d) as deliveries,
            (select count(*)::integer from d where status = 'succeeded' and status_code = 200 and attempts_made = 1
               and first_succeeded_at is not null) as succeeded,
            (select count(*)::integer from attempts a join d on d.id = a.delivery_id
             where a.delivery_id >= :since::uuid) as attempts,
            (select count(*)::integer from attempts a join d on d.id = a.delivery_id
             where a.delivery_id >= :since::uuid and a.number = 1 and a.claim = d.claims and a.status_code = 200
               and octet_length(a.exchange_encrypted) > 200) as "soundAttempts",
            (select count(*)::integer from open_deliveries) as open,
            (select count(*)::integer from dead_letters) as "deadLetters"`,
    { first, last, since },
  );
  return rows[0];
}

export async function isAnythingOpen(database: Database): Promise<boolean> {
  const { rows } = await database.knex.raw('select exists (select from open_deliveries) as open');
  return rows[0].open;
}
