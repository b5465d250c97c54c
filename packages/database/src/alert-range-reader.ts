import type { Knex } from 'knex';
import { firstIdAt } from './record-id.js';

/** A range of history ids: `from` inclusive, `below` exclusive. */
export interface IdRange {
  from: string;
  below: string;
}

/**
 * The part of a range in which an alert's deliveries lie: their ids begin with the millisecond of its acceptance, which
 * its key knows. Undefined where no such alert was accepted.
 */
export async function narrowToAlert(
  trx: Knex.Transaction,
  { workspaceId, alertId, range }: { workspaceId: string; alertId: string; range: IdRange },
): Promise<IdRange | undefined> {
  const { rows } = await trx.raw<{ rows: { accepted_at: Date }[] }>(
    'select accepted_at from alert_keys where workspace_id = :workspaceId and alert_id = :alertId',
    { workspaceId, alertId },
  );
  const acceptedMs = rows[0]?.accepted_at.getTime();
  if (acceptedMs === undefined) return undefined;
  return {
    from: [range.from, firstIdAt(acceptedMs)].sort()[1]!,
    below: [range.below, firstIdAt(acceptedMs + 1)].sort()[0]!,
  };
}
