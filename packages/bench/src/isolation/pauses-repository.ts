import type { Database } from '@tocsin/database';

const heldForMs = 3_600_000;

/** Nothing is sent to these webhooks for an hour, as after a `Retry-After`. */
export async function holdWebhooks({ knex }: Database, webhookIds: string[]): Promise<void> {
  await knex('webhook_pauses').insert(
    webhookIds.map((id) => ({
      webhook_id: id,
      reason: 'retry_after',
      paused_until: new Date(Date.now() + heldForMs),
      times: 1,
    })),
  );
}

export async function releaseWebhooks({ knex }: Database, webhookIds: string[]): Promise<void> {
  await knex('webhook_pauses').whereIn('webhook_id', webhookIds).delete();
}

/** What is owed to a workspace is owed no longer. */
export async function forgetOpen({ knex }: Database, workspaceId: string): Promise<void> {
  await knex('open_deliveries').where({ workspace_id: workspaceId }).delete();
}
