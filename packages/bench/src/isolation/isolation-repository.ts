import type { Database } from '@tocsin/database';

const pauseMs = 3_600_000;

/** Pauses webhooks for one hour, as if each destination had sent `Retry-After`. */
export async function pauseWebhooks({ knex }: Database, webhookIds: string[]): Promise<void> {
  await knex('webhook_pauses').insert(
    webhookIds.map((id) => ({
      webhook_id: id,
      reason: 'retry_after',
      paused_until: new Date(Date.now() + pauseMs),
      times: 1,
      error: 'The destination responded with status 429.',
    })),
  );
}

export async function resumeWebhooks({ knex }: Database, webhookIds: string[]): Promise<void> {
  await knex('webhook_pauses').whereIn('webhook_id', webhookIds).delete();
}

export async function deleteOpenDeliveries({ knex }: Database, workspaceId: string): Promise<void> {
  await knex('open_deliveries').where({ workspace_id: workspaceId }).delete();
}

/** Counts the open deliveries, optionally of the given workspaces only. */
export async function countOpen({ knex }: Database, workspaceIds?: string[]): Promise<number> {
  const { rows } = await knex.raw(
    `select count(*)::integer as open from open_deliveries
     where cast(:workspaceIds as uuid[]) is null or workspace_id = any(cast(:workspaceIds as uuid[]))`,
    { workspaceIds: workspaceIds ?? null },
  );
  return rows[0].open;
}

/**
 * Counts the open deliveries of the given workspaces whose first attempt has not failed yet (no step of the retry
 * schedule is used).
 */
export async function countUnretried({ knex }: Database, workspaceIds: string[]): Promise<number> {
  const { rows } = await knex.raw(
    `select count(*)::integer as untried from open_deliveries
     where workspace_id = any(cast(? as uuid[])) and step = 0`,
    [workspaceIds],
  );
  return rows[0].untried;
}

/**
 * Inserts `deliveriesPerWebhook` deliveries for each webhook of the given workspaces, in one transaction. All are due
 * now, like a backlog after an outage. Each delivery belongs to a different alert.
 */
export async function insertDueDeliveries(
  { knex }: Database,
  { workspaceIds, deliveriesPerWebhook }: { workspaceIds: string[]; deliveriesPerWebhook: number },
): Promise<void> {
  await knex.raw(
    `with planned as materialized (
       -- Ids of the history start with the acceptance time in Unix milliseconds.
       select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0')
               || substring(replace(gen_random_uuid()::text, '-', '') from 13))::uuid as id,
              gen_random_uuid() as alert_id, w.workspace_id, w.id as webhook_id, w.name, w.destination
       from webhooks w, generate_series(1, :deliveriesPerWebhook::integer)
       where w.workspace_id = any(cast(:workspaceIds as uuid[]))
     ), fired as (
       insert into alerts (id, workspace_id, alert_id, accepted_at, fired_at, alert_rule_id, alert_rule_name, model_id,
                           model_name, metric_value, threshold, bound, outcome)
       select id, workspace_id, alert_id, now(), '2025-01-31T12:00:00.123456Z', alert_id, 'Rule', alert_id, 'Model', 1, 0,
              'upper_bound', 'dispatched'
       from planned
     ), delivered as (
       insert into deliveries (id, workspace_id, alert_id, alert_record_id, alert_rule_id, webhook_id, webhook_name,
                               destination, status)
       select id, workspace_id, alert_id, id, alert_id, webhook_id, name, destination, 'open' from planned
     )
     insert into open_deliveries (delivery_id, workspace_id, webhook_id, alert_record_id, run, state, due_at, opened_at, claim)
     select id, workspace_id, webhook_id, id, 1, 'waiting', now(), now(), 0 from planned`,
    { workspaceIds, deliveriesPerWebhook },
  );
}

/** Counts the committed alerts of the workspaces. */
export async function countAlerts({ knex }: Database, workspaceIds: string[]): Promise<number> {
  const { rows } = await knex.raw(
    'select count(*)::integer as alerts from alert_keys where workspace_id = any(cast(? as uuid[]))',
    [workspaceIds],
  );
  return rows[0].alerts;
}

/**
 * Counts the claims of a workspace that have no attempt: deferrals, for example because no slot became free in time,
 * and claims of workers that died.
 */
export async function countClaimsWithoutAttempt({ knex }: Database, workspaceId: string): Promise<number> {
  const { rows } = await knex.raw(
    `select coalesce(sum(claims - attempts_made), 0)::integer as claims
     from deliveries where workspace_id = ?`,
    [workspaceId],
  );
  return rows[0].claims;
}

/**
 * Returns the acceptance time of each alert in Unix milliseconds, by alert id. Fan-out reads this time from the
 * database's clock just before the transaction that writes the alert.
 */
export async function readAcceptTimes({ knex }: Database, workspaceId: string): Promise<Map<string, number>> {
  const { rows } = await knex.raw(
    `select alert_id as id, (extract(epoch from accepted_at) * 1000)::float8 as "atMs"
     from alert_keys where workspace_id = ?`,
    [workspaceId],
  );
  return new Map(rows.map(({ id, atMs }: { id: string; atMs: number }) => [id, atMs]));
}
