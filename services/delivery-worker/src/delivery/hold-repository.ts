import { type Database, sqlArray } from '@tocsin/database';

export interface Hold {
  webhookId: string;
  /** Of the webhook that the request was made with: a hold of one that was changed or deleted since is not written. */
  version: number;
  reason: 'retry_after' | 'circuit';
  forMs: number;
  times: number;
}

export interface HoldRepository {
  /** At most one hold for a webhook. */
  hold(holds: Hold[]): Promise<void>;
  release(webhookId: string): Promise<void>;
}

export function createHoldRepository(database: Database): HoldRepository {
  return {
    async hold(holds) {
      await database.prepared(hold, [
        sqlArray.uuid(holds.map(({ webhookId }) => webhookId)),
        sqlArray.text(holds.map(({ reason }) => reason)),
        sqlArray.float8(holds.map(({ forMs }) => forMs)),
        sqlArray.integer(holds.map(({ times }) => times)),
        sqlArray.integer(holds.map(({ version }) => version)),
      ]);
    },
    async release(webhookId) {
      await database.prepared(release, [webhookId]);
    },
  };
}

const hold = {
  name: 'delivery.hold',
  text: `
    insert into webhook_pauses (webhook_id, reason, paused_until, times)
    select id, reason, now() + for_ms * interval '1 millisecond', times
    from unnest($1::uuid[], $2::text[], $3::float8[], $4::integer[], $5::integer[])
      as h(id, reason, for_ms, times, version)
    join webhooks w using (id, version)
    where w.enabled
    order by id
    on conflict (webhook_id) do update
    set reason = excluded.reason, times = excluded.times,
        paused_until = greatest(webhook_pauses.paused_until, excluded.paused_until)`,
};

const release = { name: 'delivery.release', text: 'delete from webhook_pauses where webhook_id = $1' };
