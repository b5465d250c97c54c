import { type Database, firstIdAt } from '@tocsin/database';
import { alertIdsOfRun } from '../load/alert-ids.js';

export interface RetryDelaysOptions {
  run: number;
  /** Time range of the first attempts, in Unix milliseconds. */
  fromMs: number;
  toMs: number;
  /** First delay of `RETRY_SCHEDULE`, in milliseconds. */
  scheduledMs: number;
}

/** Jitter of the retry schedule, as a fraction of each delay. */
const jitter = 0.2;

/**
 * Returns the delay of the first retry of each rejected delivery, in milliseconds after the latest time that the retry
 * schedule and its jitter allow. A retry that has not been sent yet counts as sent now.
 */
export async function readRetryDelays(
  { knex }: Database,
  { run, fromMs, toMs, scheduledMs }: RetryDelaysOptions,
): Promise<number[]> {
  const { first, last } = alertIdsOfRun(run);
  // Maximum time between the acceptance of an alert and the first attempt of its deliveries, in milliseconds. Ids of
  // deliveries begin with the time of acceptance. The time range of the first attempts therefore gives a lower bound
  // for the ids, and this bound limits the partitions that the query reads.
  const maxAgeMs = 600_000;
  const { rows } = await knex.raw(
    `select greatest(0, extract(epoch from coalesce(retry.started_at, now()) - rejected.started_at) * 1000
                        - rejected.duration_ms - :latestMs::float8)::float8 as "delayMs"
     from deliveries d
     join attempts rejected on rejected.delivery_id = d.id and rejected.number = 1 and rejected.status_code = 500
     left join attempts retry on retry.delivery_id = d.id and retry.number = 2
     where d.id >= :since::uuid and d.alert_id between :first::uuid and :last::uuid
       and rejected.delivery_id >= :since::uuid
       and rejected.started_at between to_timestamp(:fromMs::float8 / 1000) and to_timestamp(:toMs::float8 / 1000)`,
    {
      since: firstIdAt(fromMs - maxAgeMs),
      first,
      last,
      fromMs,
      toMs,
      latestMs: scheduledMs * (1 + jitter),
    },
  );
  return rows.map(({ delayMs }: { delayMs: number }) => delayMs);
}
