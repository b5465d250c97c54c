import type { Webhook } from '@tocsin/contracts';
import type { StoredWebhook } from './stored-webhook.js';

/**
 * Returns a statement that reads webhooks with their health. `columns` are columns of `webhooks`. `ids` is an SQL
 * expression for the array of the ids. Ids of webhooks that do not exist cause no row.
 */
export const webhooksWithHealth = ({ columns, ids }: { columns: string; ids: string }) => `
  with day as materialized (
    select date_trunc('hour', now() - interval '24 hours', 'UTC') as start
  ), changes as materialized (
    select webhook_id, sum(succeeded) as succeeded, sum(failed) as failed
    from delivery_stats_changes, day
    where webhook_id = any(${ids}) and minute >= day.start
    group by webhook_id
  )
  select ${columns}, json_build_object(
    'failing', case when h.last_attempt_at > now() - interval '24 hours' then h.failing end, 'since', h.since,
    'errorCode', h.error_code, 'error', h.error, 'errorAt', h.error_at,
    'succeeded', coalesce(s.succeeded, 0) + coalesce(c.succeeded, 0),
    'failed', coalesce(s.failed, 0) + coalesce(c.failed, 0)) as health
  from day cross join webhooks
  left join webhook_health h on h.webhook_id = webhooks.id
  left join changes c on c.webhook_id = webhooks.id
  left join lateral (
    select sum(succeeded) as succeeded, sum(failed) as failed from delivery_stats
    where workspace_id = webhooks.workspace_id and not is_total and webhook_id = webhooks.id and step_minutes = 60
      and at >= day.start) s on true
  where webhooks.id = any(${ids})`;

/** Returns the health of a webhook in the format of the API. */
export function presentHealth(webhook: WithHealth): Webhook['health'] {
  const { errorCode, error, errorAt, succeeded, failed } = webhook.health;
  const ended = succeeded + failed;
  return {
    ...stateOf(webhook),
    last_error: errorCode === null ? null : { code: errorCode, error: error ?? '', at: toIso(errorAt) ?? '' },
    success_rate_24h: ended > 0 ? succeeded / ended : null,
  };
}

type WithHealth = Pick<StoredWebhook, 'enabled' | 'enabledChangedAt' | 'createdAt' | 'paused' | 'health'>;

function stateOf({
  enabled,
  enabledChangedAt,
  createdAt,
  paused,
  health: { failing, since },
}: WithHealth): Pick<Webhook['health'], 'state' | 'since'> {
  if (!enabled) return { state: 'disabled', since: (enabledChangedAt ?? createdAt).toISOString() };
  if (paused !== null) return { state: 'paused', since: toIso(paused.since) };
  if (failing === null) return { state: 'unknown', since: null };
  return { state: failing ? 'failing' : 'healthy', since: toIso(since) };
}

/** Converts a time of PostgreSQL's JSON to the format of the API: UTC, with milliseconds. */
function toIso(time: string | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
