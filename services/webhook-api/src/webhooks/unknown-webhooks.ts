import type { Database, Transaction } from '@tocsin/database';

/** Resolves to the ids for which the workspace has no webhook. */
export async function findUnknownWebhooks(
  connection: Database['knex'],
  workspaceId: string,
  ids: readonly string[],
): Promise<string[]> {
  return without(ids, await selectWebhooks(connection, workspaceId, ids));
}

/**
 * Locks the webhooks, so that no other transaction can delete them before the commit. They are locked in the order of
 * their ids, so that concurrent transactions cannot deadlock. Resolves to the ids without a webhook in the workspace.
 */
export async function lockWebhooksAndFindUnknown(
  trx: Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<string[]> {
  return without(ids, await selectWebhooks(trx, workspaceId, ids).forKeyShare());
}

function selectWebhooks(connection: Database['knex'], workspaceId: string, ids: readonly string[]) {
  return connection<{ id: string; workspace_id: string }>('webhooks')
    .select('id')
    .where('workspace_id', workspaceId)
    .whereIn('id', ids)
    .orderBy('id');
}

function without(ids: readonly string[], found: readonly { id: string }[]): string[] {
  const known = new Set(found.map(({ id }) => id));
  return ids.filter((id) => !known.has(id));
}
