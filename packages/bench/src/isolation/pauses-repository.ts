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
    })),
  );
}

export async function resumeWebhooks({ knex }: Database, webhookIds: string[]): Promise<void> {
  await knex('webhook_pauses').whereIn('webhook_id', webhookIds).delete();
}

export async function deleteOpenDeliveries({ knex }: Database, workspaceId: string): Promise<void> {
  await knex('open_deliveries').where({ workspace_id: workspaceId }).delete();
}
