import type { Alert } from '@tocsin/contracts';
import { deliveryRangesOf } from '@tocsin/deliveries';
import type { Knex } from 'knex';

export type AlertSummary = Alert['summary'];

type DispatchedAlert = { recordId: string; workspaceId: string };

/** Summary of an alert without deliveries. */
export const noDeliveries: AlertSummary = { succeeded: 0, failed: 0, skipped: 0, open: 0 };

/**
 * Counts the deliveries of several alerts of one workspace in one statement. Returns the counts by the record id of the
 * alert. Alerts without deliveries are missing.
 */
export async function readSummaries(
  knex: Knex,
  alerts: readonly DispatchedAlert[],
): Promise<Map<string, AlertSummary>> {
  if (alerts.length === 0) return new Map();
  const ids = alerts.map(({ recordId }) => recordId);
  const { first, last } = deliveryRangesOf(ids);
  // Deliveries have no index on their alert, so they are found by the ranges of their ids. The lowest and highest ids
  // are passed as constants, so that PostgreSQL can skip partitions.
  const { rows } = await knex.raw<{ rows: ({ id: string } & AlertSummary)[] }>(
    `select d.alert_record_id as id,
       count(*) filter (where d.status = 'succeeded')::integer as succeeded,
       count(*) filter (where d.status = 'failed')::integer as failed,
       count(*) filter (where d.status = 'skipped')::integer as skipped,
       count(*) filter (where d.status = 'open')::integer as open
     from unnest(cast(:first as uuid[]), cast(:last as uuid[])) as accepted(first, last)
     join deliveries d on d.workspace_id = cast(:workspaceId as uuid) and d.id >= accepted.first and d.id <= accepted.last
     where d.id >= cast(:lowest as uuid) and d.id <= cast(:highest as uuid)
       and d.alert_record_id = any(cast(:ids as uuid[]))
     group by d.alert_record_id`,
    {
      first,
      last,
      ids,
      workspaceId: alerts[0]!.workspaceId,
      lowest: [...first].sort()[0]!,
      highest: [...last].sort().at(-1)!,
    },
  );
  return new Map(rows.map(({ id, ...summary }) => [id, summary]));
}
