import { type Database, firstIdAt, timeOfRecordId } from '@tocsin/database';
import { allWebhooks } from '@tocsin/deliveries';
import { type StatsRange, stepMinutes } from './stats-range.js';

/**
 * Counts of deliveries in one time step. Several rows can have the same step and webhook; their counts must be added.
 */
export interface StatsRow {
  /** Start of the step, in Unix milliseconds. */
  atMs: number;
  /** Id of the webhook. In rows of a query for the whole workspace the value is arbitrary and must be ignored. */
  webhookId: string;
  open: number;
  succeeded: number;
  failed: number;
  skipped: number;
  attempts: number;
  /**
   * Histogram of latencies. An entry is 256 × (number of deliveries) + (number of the bucket). Several entries can have
   * the same bucket.
   */
  latencies: number[];
}

/** Selects the counts of a workspace or of some of its webhooks. */
interface StatsQuery extends StatsRange {
  workspaceId: string;
  webhookIds: string[] | undefined;
  /**
   * Maximum number of rows with counts. Rows with changes that a worker has not yet merged into the counts are returned
   * in addition.
   */
  limit: number;
}

export interface DeliveryStatsReader {
  read(query: StatsQuery): Promise<StatsRow[]>;
  /** Returns the ids of the webhooks that have deliveries on the days of the range. */
  findWebhooks(workspaceId: string, range: StatsRange): Promise<string[]>;
  /** Returns when the oldest open delivery was accepted, in Unix milliseconds; undefined if no delivery is open. */
  oldestOpenMs(scope: { workspaceId: string; webhookId: string | undefined }): Promise<number | undefined>;
}

export function createDeliveryStatsReader({ knex }: Database): DeliveryStatsReader {
  return {
    async read({ workspaceId, webhookIds, limit, ...range }) {
      const { rows } = await knex.raw<{ rows: StatsRow[] }>(readCounts, {
        workspaceId,
        isTotal: webhookIds === undefined,
        webhookIds: webhookIds ?? [allWebhooks],
        limit,
        ...rangeBindings(range),
      });
      return rows;
    },

    async findWebhooks(workspaceId, range) {
      const { rows } = await knex.raw<{ rows: { id: string }[] }>(readWebhooks, {
        workspaceId,
        ...rangeBindings(range),
      });
      return rows.map(({ id }) => id);
    },

    async oldestOpenMs({ workspaceId, webhookId }) {
      const scope = {
        workspaceId,
        isTotal: webhookId === undefined,
        webhookId: webhookId ?? allWebhooks,
      };
      const minutes = await knex.raw<{ rows: { at: Date }[] }>(readFirstOpenMinute, scope);
      const minuteMs = minutes.rows[0]?.at.getTime();
      if (minuteMs === undefined) return undefined;
      const [oldest]: { id: string }[] = await knex('open_deliveries')
        .select('delivery_id as id')
        .where('delivery_id', '>=', firstIdAt(minuteMs))
        .where('delivery_id', '<', firstIdAt(minuteMs + 60_000))
        .where({ workspace_id: workspaceId, ...(webhookId !== undefined && { webhook_id: webhookId }) })
        .orderBy('delivery_id')
        .limit(1);
      return oldest === undefined ? minuteMs : timeOfRecordId(oldest.id);
    },
  };
}

function rangeBindings({ step, fromMs, toMs }: StatsRange) {
  return { step, stepMinutes: stepMinutes[step], from: new Date(fromMs), to: new Date(toMs) };
}

const atMs = `(date_part('epoch', at) * 1000)::float8 as "atMs"`;

// One statement reads counts and changes, so that each change is counted once while a worker merges changes into the
// counts. Arrays are sent as JSON, which is parsed ten times as fast.
const readCounts = `
  with changes as materialized (
    select date_trunc(:step, minute, 'UTC') as at, webhook_id, open, succeeded, failed, skipped, attempts, latencies
    from delivery_stats_changes
    where workspace_id = :workspaceId and minute >= :from and minute < :to
      and (:isTotal or webhook_id = any(cast(:webhookIds as uuid[])))
  )
  (select ${atMs}, webhook_id as "webhookId", open, succeeded, failed, skipped, attempts,
          array_to_json(latencies) as latencies
   from delivery_stats
   where workspace_id = :workspaceId and is_total = :isTotal and step_minutes = :stepMinutes
     and webhook_id = any(cast(:webhookIds as uuid[])) and at >= :from and at < :to
   limit :limit)
  union all
  select ${atMs}, webhook_id, sum(open)::integer, sum(succeeded)::integer, sum(failed)::integer, sum(skipped)::integer,
         sum(attempts)::integer, '[]'
  from changes group by at, webhook_id
  union all
  select ${atMs}, webhook_id, 0, 0, 0, 0, 0, json_agg(256 * number + bucket)
  from (select at, webhook_id, entry & 255 as bucket, sum(entry >> 8)::bigint as number
        from changes cross join unnest(latencies) as entry group by at, webhook_id, bucket) as latencies
  group by at, webhook_id`;

const readWebhooks = `
  select webhook_id as id from delivery_stats
  where workspace_id = :workspaceId and not is_total and step_minutes = ${stepMinutes.day}
    and at >= date_trunc('day', cast(:from as timestamptz), 'UTC') and at < :to
  union
  select webhook_id from delivery_stats_changes
  where workspace_id = :workspaceId and minute >= :from and minute < :to`;

const ofScope =
  'workspace_id = :workspaceId and is_total = :isTotal and webhook_id = :webhookId and open <> 0';

// The day is searched first: with a retention of 90 days, a workspace has at most 90 rows for days but 129,600 for
// minutes.
const readFirstOpenMinute = `
  with changes as materialized (
    select minute, sum(open) as open from delivery_stats_changes
    where workspace_id = :workspaceId and (:isTotal or webhook_id = :webhookId) and open <> 0
    group by minute
  ), day as materialized (
    select at from (
      select at, open from delivery_stats where ${ofScope} and step_minutes = ${stepMinutes.day}
      union all
      select date_trunc('day', minute, 'UTC'), open from changes) as days
    group by at having sum(open) > 0 order by at limit 1
  )
  select at from (
    select at, open from delivery_stats
    where ${ofScope} and step_minutes = ${stepMinutes.minute}
      and at >= (select at from day) and at < (select at from day) + interval '24 hours'
    union all
    select minute, open from changes
    where minute >= (select at from day) and minute < (select at from day) + interval '24 hours') as minutes
  group by at having sum(open) > 0 order by at limit 1`;
