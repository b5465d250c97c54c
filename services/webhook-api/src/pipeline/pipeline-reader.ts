import type { Database } from '@tocsin/database';

/**
 * Result of a search for the oldest open delivery without an attempt. `found` has its age. `none` means that the search
 * has read the last row. `unknown` means that more rows can follow, so the next call should continue after the id.
 */
type OldestDelivery =
  | { kind: 'found'; ageSeconds: number }
  | { kind: 'none' }
  | { kind: 'unknown'; continueAfter: string };

export interface PipelineReader {
  /** Returns the age of the newest marker that a worker has committed, in seconds; undefined if there is none yet. */
  markerAgeSeconds(): Promise<number | undefined>;
  /**
   * Looks for the oldest open delivery that has no attempt, does not wait for a signing secret, and whose webhook is
   * neither paused nor rate-limited. Reads up to 50,000 rows with ids above `after`: `lowestId` starts a
   * search, `continueAfter` continues it.
   */
  oldestDelivery(after: string): Promise<OldestDelivery>;
}

/**
 * Maximum number of rows of one read. In the worst case, with all webhooks paused, the read takes about 50 ms of
 * database time.
 */
const maxRows = 50_000;

export function createPipelineReader(database: Database): PipelineReader {
  return {
    async markerAgeSeconds() {
      const [row] = await database.prepared<{ age: number }>(readMarker, []);
      return row?.age;
    },
    async oldestDelivery(after) {
      const [oldest] = await database.prepared<{ age: number }>(findOldest, [after, maxRows]);
      if (oldest !== undefined) return { kind: 'found', ageSeconds: oldest.age };
      const [last] = await database.prepared<{ id: string }>(findLast, [after, maxRows]);
      return last === undefined ? { kind: 'none' } : { kind: 'unknown', continueAfter: last.id };
    },
  };
}

const readMarker = {
  name: 'pipeline.read-marker',
  text: `
    select greatest(0, extract(epoch from clock_timestamp() - marked_at))::float8 as age from pipeline_marker`,
};

// Ids start with the time of acceptance, so the lowest id is the oldest delivery. For a minute after its pause a
// webhook still counts as paused, because its destination is probed first. Only an editor of the webhook can end the
// wait for a signing secret, so it is not a fault of the installation.
const findOldest = {
  name: 'pipeline.find-oldest',
  text: `
    select greatest(0, extract(epoch from clock_timestamp() - o.opened_at))::float8 as age
    from (select delivery_id, webhook_id, run, step, waiting_reason, opened_at from open_deliveries
          where delivery_id > $1::uuid order by delivery_id limit $2) o
    where o.run = 1 and o.step = 0 and o.waiting_reason <> 'no_signing_secret'
      and not exists (select from webhook_rate_limits l where l.webhook_id = o.webhook_id)
      and not exists (select from webhook_pauses p
                      where p.webhook_id = o.webhook_id and p.paused_until > now() - interval '1 minute')
    order by o.delivery_id limit 1`,
};

const findLast = {
  name: 'pipeline.find-last',
  text: `
    select delivery_id as id from open_deliveries
    where delivery_id > $1::uuid order by delivery_id offset $2::integer - 1 limit 1`,
};
