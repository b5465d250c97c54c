import { type Database, firstIdSql, timeOfRecordId } from '@tocsin/database';
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

export function createDeliveryStatsReader(database: Database): DeliveryStatsReader {
  return {
    read: ({ workspaceId, webhookIds, limit, step, fromMs, toMs }) =>
      database.planned<StatsRow>(readCounts, [
        workspaceId,
        new Date(fromMs),
        new Date(toMs),
        step,
        stepMinutes[step],
        webhookIds === undefined,
        webhookIds ?? [allWebhooks],
        limit,
      ]),

    async findWebhooks(workspaceId, { fromMs, toMs }) {
      const values = [workspaceId, new Date(fromMs), new Date(toMs)];
      return (await database.planned<{ id: string }>(readWebhooks, values)).map(({ id }) => id);
    },

    async oldestOpenMs({ workspaceId, webhookId }) {
      const values = [workspaceId, webhookId === undefined, webhookId ?? allWebhooks];
      const [oldest] = await database.planned<{ minuteMs: number; id: string | null }>(
        readOldestOpen,
        values,
      );
      if (oldest === undefined) return undefined;
      return oldest.id === null ? oldest.minuteMs : timeOfRecordId(oldest.id);
    },
  };
}

const atMs = `(date_part('epoch', at) * 1000)::float8 as "atMs"`;

// One statement reads the counts, and the changes that are not merged into them. Each change is therefore counted
// exactly once, even if a worker merges changes at the same time. Arrays are sent as JSON, because this process parses
// JSON ten times as fast as the array format of PostgreSQL.
const readCounts = `
  with changes as materialized (
    select date_trunc($4, minute, 'UTC') as at, webhook_id, open, succeeded, failed, skipped, attempts, latencies
    from delivery_stats_changes
    where workspace_id = $1 and minute >= $2 and minute < $3
      and ($6::boolean or webhook_id = any($7::uuid[]))
  )
  (select ${atMs}, webhook_id as "webhookId", open, succeeded, failed, skipped, attempts,
          array_to_json(latencies) as latencies
   from delivery_stats
   where workspace_id = $1 and is_total = $6 and step_minutes = $5
     and webhook_id = any($7::uuid[]) and at >= $2 and at < $3
   limit $8)
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
  where workspace_id = $1 and not is_total and step_minutes = ${stepMinutes.day}
    and at >= date_trunc('day', $2::timestamptz, 'UTC') and at < $3
  union
  select webhook_id from delivery_stats_changes
  where workspace_id = $1 and minute >= $2 and minute < $3`;

const ofScope = 'workspace_id = $1 and is_total = $2 and webhook_id = $3 and open <> 0';

// The statement searches the counts of days for the first day with an open delivery, then the counts of this day's
// minutes, and then the deliveries of the minute. With a retention of 90 days, a workspace has about 90 rows for days,
// but 129,600 for minutes. The returned `id` of the delivery is null only if the counts say that an open delivery
// exists in the minute, but the table `open_deliveries` has none.
const readOldestOpen = `
  with changes as materialized (
    select minute, sum(open) as open from delivery_stats_changes
    where workspace_id = $1 and ($2::boolean or webhook_id = $3) and open <> 0
    group by minute
  ), day as materialized (
    select at from (
      select at, open from delivery_stats where ${ofScope} and step_minutes = ${stepMinutes.day}
      union all
      select date_trunc('day', minute, 'UTC'), open from changes) as days
    group by at having sum(open) > 0 order by at limit 1
  ), first_minute as materialized (
    select ${atMs} from (
      select at, open from delivery_stats
      where ${ofScope} and step_minutes = ${stepMinutes.minute}
        and at >= (select at from day) and at < (select at from day) + interval '24 hours'
      union all
      select minute, open from changes
      where minute >= (select at from day) and minute < (select at from day) + interval '24 hours') as minutes
    group by at having sum(open) > 0 order by at limit 1
  )
  select "atMs" as "minuteMs", (
    select delivery_id from open_deliveries
    where workspace_id = $1 and ($2::boolean or webhook_id = $3)
      and delivery_id >= ${firstIdSql('"atMs"')} and delivery_id < ${firstIdSql('"atMs" + 60000')}
    order by delivery_id limit 1) as id
  from first_minute`;
