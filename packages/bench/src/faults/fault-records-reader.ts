import { type Database, firstIdAt } from '@tocsin/database';
import { alertIdsOfRun } from '../load/alert-ids.js';

/** A delivery with a summary of its attempts. */
export interface DeliveryRecord {
  alertId: string;
  webhookId: string;
  status: string;
  attemptsMade: number;
  /** Number of the claim that ended the delivery. */
  claims: number;
  /** Time of success in Unix milliseconds; null if the delivery did not succeed. */
  succeededAtMs: number | null;
  attempts: number;
  successfulAttempts: number;
  lastNumber: number;
  lastClaim: number;
}

/**
 * Reads the deliveries of a run.
 * @param options.sinceMs Unix time before the first alert, in milliseconds. The ids of deliveries begin with the time
 * of acceptance, so a bound on the ids excludes deliveries that were written before `sinceMs`
 */
export async function readRecords(
  database: Database,
  { run, sinceMs }: { run: number; sinceMs: number },
): Promise<DeliveryRecord[]> {
  const { first, last } = alertIdsOfRun(run);
  const { rows } = await database.knex.raw(
    `select d.alert_id as "alertId", d.webhook_id as "webhookId", d.status, d.attempts_made as "attemptsMade", d.claims,
            (extract(epoch from d.first_succeeded_at) * 1000)::float8 as "succeededAtMs",
            count(a.*)::integer as attempts,
            (count(a.*) filter (where a.status_code = 200))::integer as "successfulAttempts",
            coalesce(max(a.number), 0) as "lastNumber", coalesce(max(a.claim), 0) as "lastClaim"
     from deliveries d left join attempts a on a.delivery_id = d.id
     where d.id >= :since::uuid and d.alert_id between :first::uuid and :last::uuid
     group by d.id`,
    { first, last, since: firstIdAt(sinceMs) },
  );
  return rows;
}

export interface OpenState {
  /** Number of alerts of the run that workers have committed. */
  alerts: number;
  open: number;
  deadLetters: number;
}

export async function readOpenState(database: Database, run: number): Promise<OpenState> {
  const { first, last } = alertIdsOfRun(run);
  const { rows } = await database.knex.raw(
    `select (select count(*)::integer from alert_keys
             where alert_id between :first::uuid and :last::uuid) as alerts,
            (select count(*)::integer from open_deliveries) as open,
            (select count(*)::integer from dead_letters) as "deadLetters"`,
    { first, last },
  );
  return rows[0];
}

/** Counts the open deliveries that wait because a worker could not decrypt their webhook. */
export async function countUndecryptable({ knex }: Database): Promise<number> {
  const { rows } = await knex.raw(
    `select count(*)::integer as count from open_deliveries where waiting_reason = 'undecryptable'`,
  );
  return rows[0].count;
}

export interface FloodState {
  /** Number of alerts of the flood that workers have committed. */
  alerts: number;
  /**
   * Numbers of deliveries of the flood. A flood names webhooks that do not exist, so workers must write each delivery
   * as failed (`ended`). `open` is the number of deliveries that they wrote as open instead.
   */
  open: number;
  ended: number;
}

/** @param options.sinceMs Unix time before the first alert of the flood, in milliseconds */
export async function readFloodState(
  { knex }: Database,
  { workspaceIds, sinceMs }: { workspaceIds: string[]; sinceMs: number },
): Promise<FloodState> {
  const { rows } = await knex.raw(
    `select (select count(*)::integer from alert_keys where workspace_id = any(:workspaceIds::uuid[])) as alerts,
            (select count(*)::integer from open_deliveries where workspace_id = any(:workspaceIds::uuid[])) as open,
            (select count(*)::integer from deliveries
             where workspace_id = any(:workspaceIds::uuid[]) and id >= :since::uuid
               and status = 'failed' and error_code = 'webhook_deleted') as ended`,
    { workspaceIds, since: firstIdAt(sinceMs) },
  );
  return rows[0];
}

export async function deleteFlood({ knex }: Database, workspaceIds: string[]): Promise<void> {
  await knex('open_deliveries').whereIn('workspace_id', workspaceIds).delete();
}

export interface ClaimedDelivery {
  alertId: string;
  webhookId: string;
  /** Number of the claim, counted from 1 for each delivery. */
  claim: number;
}

/** Returns the deliveries of a load run that are claimed now. With `pid`, only those claimed by this worker process. */
export async function readClaimed(
  database: Database,
  { run, pid }: { run: number; pid: number | undefined },
): Promise<ClaimedDelivery[]> {
  const { first, last } = alertIdsOfRun(run);
  const { rows } = await database.knex.raw(
    `select a.alert_id as "alertId", o.webhook_id as "webhookId", o.claim
     from open_deliveries o join alerts a on a.id = o.alert_record_id
     left join workers w on w.id = o.claimed_by
     where o.claimed_by is not null and a.alert_id between :first::uuid and :last::uuid
       -- The name of a worker consists of its host and its process id.
       and (:pid::text is null or split_part(w.name, ' ', 2) = :pid::text)`,
    { first, last, pid: pid === undefined ? null : String(pid) },
  );
  return rows;
}

/**
 * Returns the number of alerts that were committed after a time, plus the number of deliveries that succeeded after it.
 */
export async function countCommittedSince(database: Database, since: Date): Promise<number> {
  const { rows } = await database.knex.raw(
    `select (select count(*) from alert_keys where accepted_at > :since)
            + (select count(*) from deliveries where first_succeeded_at > :since and id >= :first::uuid) as committed`,
    // Ids begin with the time of acceptance. Deliveries that succeed after `since` were accepted at most one minute
    // before it, so this bound on the ids excludes no such delivery, and PostgreSQL does not read older partitions.
    { since, first: firstIdAt(since.getTime() - 60_000) },
  );
  return Number(rows[0].committed);
}
