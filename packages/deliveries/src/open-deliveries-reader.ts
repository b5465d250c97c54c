import { type Database, sqlArray } from '@tocsin/database';
import type { OpenDeliveryLimits } from './open-delivery-limits.js';

/** A webhook in its workspace, or a whole workspace if `webhookId` is missing. */
export interface OpenDeliveriesKey {
  workspaceId: string;
  webhookId?: string | undefined;
}

/**
 * Counts the open deliveries of webhooks and workspaces in one statement. The counts are in the order of `keys`.
 * For each key, waiting and queued deliveries are counted separately, each up to the limit of the key, so that a count
 * can be twice the limit. Counting takes about 0.3 µs for each row.
 */
export async function countOpenDeliveries(
  database: Database,
  { keys, limits }: { keys: OpenDeliveriesKey[]; limits: OpenDeliveryLimits },
): Promise<number[]> {
  const rows = await database.prepared<{ open: number }>(count, [
    sqlArray.uuid(keys.map(({ workspaceId }) => workspaceId)),
    sqlArray.uuid(keys.map(({ webhookId }) => webhookId ?? null)),
    limits.perWebhook,
    limits.perWorkspace,
  ]);
  return rows.map(({ open }) => open);
}

// The "order by" makes every plan use an index in which the rows of a key are adjacent. Other plans would read all rows
// of the workspace.
const openRows = (state: 'waiting' | 'queued', { of, limit }: { of: string; limit: string }) => `
      select count(*) as rows from (
        select from open_deliveries where state = '${state}' and ${of}
        order by ${state === 'waiting' ? 'workspace_id, webhook_id, due_at' : 'workspace_id, webhook_id'}
        limit ${limit}) ${state}`;

const counted = (scope: { of: string; limit: string }) => `
    cross join lateral (${openRows('waiting', scope)}) waiting
    cross join lateral (${openRows('queued', scope)}) queued`;

const count = {
  name: 'open-deliveries.count',
  text: `
    with keys as (
      select * from unnest($1::uuid[], $2::uuid[]) with ordinality as k(workspace_id, webhook_id, position)
    ), counted as (
      select k.position, waiting.rows + queued.rows as open from keys k ${counted({
        of: 'workspace_id = k.workspace_id and webhook_id = k.webhook_id',
        limit: '$3::integer',
      })}
      where k.webhook_id is not null
      union all
      select k.position, waiting.rows + queued.rows from keys k ${counted({
        of: 'workspace_id = k.workspace_id',
        limit: '$4::integer',
      })}
      where k.webhook_id is null
    )
    select open::integer from counted order by position`,
};
