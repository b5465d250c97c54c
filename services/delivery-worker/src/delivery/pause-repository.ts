import { type Database, sqlArray } from '@tocsin/database';

export interface Pause {
  webhookId: string;
  /**
   * Version of the webhook that the request was made with. A pause is not written if the webhook was changed or deleted
   * since.
   */
  version: number;
  reason: 'retry_after' | 'circuit';
  forMs: number;
  /** Pauses in a row of an open circuit, including this one. */
  times: number;
}

export interface PauseRepository {
  /** Pauses webhooks, at most one pause for each. A pause never ends earlier than the one before it. */
  pause(pauses: Pause[]): Promise<void>;
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
      ]);
    },
    async resume(webhookId) {
      await database.prepared(resume, [webhookId]);
    },
  };
}

const pause = {
  name: 'delivery.pause',
  text: `
    insert into webhook_pauses (webhook_id, reason, paused_until, times)
    select id, reason, now() + for_ms * interval '1 millisecond', times
    from unnest($1::uuid[], $2::text[], $3::float8[], $4::integer[], $5::integer[])
      as p(id, reason, for_ms, times, version)
    join webhooks w using (id, version)
    where w.enabled
    order by id
    on conflict (webhook_id) do update
    set reason = excluded.reason, times = excluded.times,
        paused_until = greatest(webhook_pauses.paused_until, excluded.paused_until)`,
};

const resume = { name: 'delivery.resume', text: 'delete from webhook_pauses where webhook_id = $1' };
