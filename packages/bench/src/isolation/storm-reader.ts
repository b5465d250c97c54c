import type { Database } from '@tocsin/database';

/** Counts claims of a workspace that ended without an attempt, because no slot became free in time. */
export async function countReleasedClaims(database: Database, workspaceId: string): Promise<number> {
  const { rows } = await database.knex.raw(
    `select coalesce(sum(claims - attempts_made), 0)::integer as released
     from deliveries where workspace_id = ?`,
    [workspaceId],
  );
  return rows[0].released;
}

/** Returns when a worker committed each alert, in Unix milliseconds by alert id. */
export async function readCommitTimes(database: Database, workspaceId: string): Promise<Map<string, number>> {
  const { rows } = await database.knex.raw(
    `select alert_id as id, (extract(epoch from accepted_at) * 1000)::float8 as "atMs"
     from alert_keys where workspace_id = ?`,
    [workspaceId],
  );
  return new Map(rows.map(({ id, atMs }: { id: string; atMs: number }) => [id, atMs]));
}

export async function countOpen(database: Database): Promise<number> {
  const { rows } = await database.knex.raw('select count(*)::integer as open from open_deliveries');
  return rows[0].open;
}
