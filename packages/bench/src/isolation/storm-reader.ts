import type { Database } from '@tocsin/database';

export interface WorkspaceCounts {
  deliveries: number;
  /** Claims that ended without an attempt: given back because no slot came free in time, and published again. */
  givenBack: number;
}

export async function countDeliveries(database: Database, workspaceId: string): Promise<WorkspaceCounts> {
  const { rows } = await database.knex.raw(
    `select count(*)::integer as deliveries, coalesce(sum(claims - attempts_made), 0)::integer as "givenBack"
     from deliveries where workspace_id = ?`,
    [workspaceId],
  );
  return rows[0];
}

/** When each alert was taken over from the queue, by its id, in Unix milliseconds. */
export async function readTakenOver(database: Database, workspaceId: string): Promise<Map<string, number>> {
  const { rows } = await database.knex.raw(
    `select alert_id as id, (extract(epoch from accepted_at) * 1000)::float8 as at
     from alert_keys where workspace_id = ?`,
    [workspaceId],
  );
  return new Map(rows.map(({ id, at }: { id: string; at: number }) => [id, at]));
}

export async function countOpen(database: Database): Promise<number> {
  const { rows } = await database.knex.raw('select count(*)::integer as open from open_deliveries');
  return rows[0].open;
}
