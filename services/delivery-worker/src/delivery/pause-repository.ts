import { type Database, sqlArray } from '@tocsin/database';

export interface Pause {
  webhookId: string;
  /**
   * Version of the webhook at the time of the request. The pause is not written if the webhook was changed or deleted
   * since then.
   */
  version: number;
  reason: 'retry_after' | 'circuit';
  forMs: number;
  /** Number of consecutive pauses by the circuit breaker, including this one. It is 1 for a pause by `Retry-After`. */
  times: number;
  /** Sentence about the failure that caused the pause, without secrets. */
  error: string;
}

export interface PauseRepository {
  /**
   * Pauses webhooks. `pauses` must have at most one entry for each webhook. A new pause replaces an existing one that
   * ends earlier, except a manual pause that has not ended.
   */
  pause(pauses: Pause[]): Promise<void>;
  /**
   * Ends the pause of a webhook after a probe that did not fail because of the destination. A manual pause and a pause
   * by `Retry-After` continue until their time is over. The destination can have sent `Retry-After` in response to
   * another request after the probe was claimed.
   */
  resume(webhookId: string): Promise<void>;
}

export function createPauseRepository(database: Database): PauseRepository {
  return {
    async pause(pauses) {
      await database.prepared(pause, [
        sqlArray.uuid(pauses.map(({ webhookId }) => webhookId)),
        sqlArray.text(pauses.map(({ reason }) => reason)),
        sqlArray.float8(pauses.map(({ forMs }) => forMs)),
        sqlArray.integer(pauses.map(({ times }) => times)),
        sqlArray.integer(pauses.map(({ version }) => version)),
        sqlArray.text(pauses.map(({ error }) => error)),
      ]);
    },
    async resume(webhookId) {
      await database.prepared(resume, [webhookId]);
    },
  };
}

// The webhooks are locked, so that the statement waits for a transaction that changes or deletes one of them, and then
// writes no pause for it.
const pause = {
  name: 'delivery.pause',
  text: `
    insert into webhook_pauses (webhook_id, reason, paused_until, times, error)
    select id, reason, now() + for_ms * interval '1 millisecond', times, error
    from unnest($1::uuid[], $2::text[], $3::float8[], $4::integer[], $5::integer[], $6::text[])
      as p(id, reason, for_ms, times, version, error)
    join webhooks w using (id, version)
    where w.enabled
    order by id for share of w
    on conflict (webhook_id) do update
    set reason = excluded.reason, times = excluded.times, error = excluded.error,
        -- A pause that continues keeps its start time: the previous pause has not ended, or a probe of an open circuit
        -- has failed.
        since = case when webhook_pauses.paused_until > now() or excluded.times > 1
                     then webhook_pauses.since else excluded.since end,
        paused_until = excluded.paused_until
    where excluded.paused_until > webhook_pauses.paused_until
      and not (webhook_pauses.reason = 'manual' and webhook_pauses.paused_until > now())`,
};

const resume = {
  name: 'delivery.resume',
  text: `
    delete from webhook_pauses
    where webhook_id = $1 and not (reason in ('manual', 'retry_after') and paused_until > now())`,
};
