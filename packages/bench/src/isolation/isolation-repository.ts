import type { Database } from '@tocsin/database';

const pauseMs = 3_600_000;

/** Pauses webhooks for an hour, as a response with `Retry-After` would. */
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

/** Counts the open deliveries, of these workspaces if any are given. */
export async function countOpen({ knex }: Database, workspaceIds?: string[]): Promise<number> {
  const { rows } = await knex.raw(
    `select count(*)::integer as open from open_deliveries
     where cast(:workspaceIds as uuid[]) is null or workspace_id = any(cast(:workspaceIds as uuid[]))`,
    { workspaceIds: workspaceIds ?? null },
  );
  return rows[0].open;
}

/** Counts the alerts of workspaces that workers have committed. */
export async function countAlerts({ knex }: Database, workspaceIds: string[]): Promise<number> {
  const { rows } = await knex.raw(
    'select count(*)::integer as alerts from alert_keys where workspace_id = any(cast(? as uuid[]))',
    [workspaceIds],
  );
  return rows[0].alerts;
}

/** Counts claims of a workspace that ended without an attempt, because no slot became free in time. */
export async function countReleasedClaims({ knex }: Database, workspaceId: string): Promise<number> {
  const { rows } = await knex.raw(
    `select coalesce(sum(claims - attempts_made), 0)::integer as released
     from deliveries where workspace_id = ?`,
    [workspaceId],
  );
  return rows[0].released;
}

/** Returns when a worker committed each alert, in Unix milliseconds by alert id. */
export async function readCommitTimes({ knex }: Database, workspaceId: string): Promise<Map<string, number>> {
  const { rows } = await knex.raw(
    `select alert_id as id, (extract(epoch from accepted_at) * 1000)::float8 as "atMs"
     from alert_keys where workspace_id = ?`,
    [workspaceId],
  );
  return new Map(rows.map(({ id, atMs }: { id: string; atMs: number }) => [id, atMs]));
}
