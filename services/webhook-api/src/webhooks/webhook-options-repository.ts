import type { Transaction } from '@tocsin/database';
import type { WrittenWebhook } from './stored-webhook.js';

/**
 * Writes the options that are stored in separate tables: the rate limit, and the manual pause if `changesPause` is
 * true.
 */
export async function applyOptions(
  trx: Transaction,
  webhook: WrittenWebhook,
  { changesPause }: { changesPause: boolean },
): Promise<void> {
  await applyRateLimit(trx, webhook);
  if (changesPause) await applyPause(trx, webhook);
}

/**
 * Writes or deletes the row of the rate limit, which contains the earliest time of the next request. After a change of
 * the limit, this time is at most one interval (period divided by requests) from now. A change of another field keeps
 * this time. A disabled webhook has no row, because its deliveries end without a request.
 */
async function applyRateLimit(trx: Transaction, { id, enabled, rateLimit }: WrittenWebhook): Promise<void> {
  if (rateLimit === null || !enabled) {
    await trx('webhook_rate_limits').where({ webhook_id: id }).delete();
    return;
  }
  await trx.raw(
    `insert into webhook_rate_limits (webhook_id, requests, period_ms) values (:id, :requests, :period_ms)
     on conflict (webhook_id) do update
     set requests = excluded.requests, period_ms = excluded.period_ms,
         next_at = least(webhook_rate_limits.next_at,
                         now() + excluded.period_ms / excluded.requests * interval '1 millisecond')
     where (webhook_rate_limits.requests, webhook_rate_limits.period_ms)
           is distinct from (excluded.requests, excluded.period_ms)`,
    { id, ...rateLimit },
  );
}

/**
 * Maximum number of manual pauses that the row of a webhook has. Above this number, the pauses of the last 90 days are
 * replaced by one pause from the start of the first to the end of the last, so that the row stays small.
 */
const maxPauses = 100;

/**
 * Stores the start and end of a manual pause. Pauses of the last 90 days are kept, because the time of a pause does
 * not count towards the age of a delivery. A disabled webhook is not paused, so that its deliveries end at once.
 */
async function applyPause(trx: Transaction, { id, enabled, pausedUntil }: WrittenWebhook): Promise<void> {
  const until = enabled ? pausedUntil : null;
  await trx.raw(
    `with changed as (
       select coalesce(manual_pauses, '{}') * tstzmultirange(tstzrange(now() - interval '90 days', now()))
              + case when paused_until > now() then tstzmultirange(tstzrange(now(), paused_until)) else '{}' end as pauses
       from webhooks where id = :id
     )
     update webhooks w
     set manual_pauses = case when isempty(pauses) then null
                              when (select count(*) from unnest(pauses)) > :maxPauses
                              then tstzmultirange(range_merge(pauses)) else pauses end
     from changed where w.id = :id`,
    { id, maxPauses },
  );
  await trx.raw(
    `delete from webhook_pauses where webhook_id = :id and reason = 'manual' and not cast(:until as timestamptz) > now()`,
    {
      id,
      until: until ?? new Date(0),
    },
  );
  if (until === null) return;
  await trx.raw(
    `insert into webhook_pauses (webhook_id, reason, paused_until, times)
     select cast(:id as uuid), 'manual', cast(:until as timestamptz), 0 where cast(:until as timestamptz) > now()
     on conflict (webhook_id) do update
     set since = case when webhook_pauses.reason = 'manual' then webhook_pauses.since else now() end,
         reason = 'manual', paused_until = excluded.paused_until, times = 0, error = null`,
    { id, until },
  );
}
