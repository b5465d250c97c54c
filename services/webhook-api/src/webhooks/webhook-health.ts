import type { DeliveryErrorCode, Webhook } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';
import type { StoredWebhook } from './stored-webhook.js';

/** Outcomes of a webhook's deliveries. */
export interface StoredHealth {
  /** True if the last attempt failed; null if there was no attempt within 24 hours. */
  failing: boolean | null;
  /** Time of the first attempt in the present series of failures or successes; null before the first attempt. */
  since: Date | null;
  /** Error of the last failure. */
  errorCode: DeliveryErrorCode | null;
  error: string | null;
  errorAt: Date | null;
  /**
   * Numbers of succeeded and failed deliveries whose alerts were accepted in the last 24 hours. The period begins with
   * a full hour.
   */
  succeeded: number;
  failed: number;
}

export interface HealthReader {
  /** Reads the health of webhooks in one statement. Returns a map by id, without webhooks that do not exist. */
  read(webhookIds: readonly string[]): Promise<ReadonlyMap<string, StoredHealth>>;
}

export function createHealthReader(database: Database): HealthReader {
  return {
    async read(webhookIds) {
      const rows = await database.prepared<StoredHealth & { id: string }>(readHealth, [webhookIds]);
      return new Map(rows.map(({ id, ...health }) => [id, health]));
    },
  };
}

const readHealth = {
  name: 'webhooks.read_health',
  text: `
    with day as materialized (
      select date_trunc('hour', now() - interval '24 hours', 'UTC') as start
    ), changes as materialized (
      select webhook_id, sum(succeeded) as succeeded, sum(failed) as failed
      from delivery_stats_changes, day
      where webhook_id = any($1::uuid[]) and minute >= day.start
      group by webhook_id
    )
    select w.id, case when h.last_attempt_at > now() - interval '24 hours' then h.failing end as failing, h.since,
           h.error_code as "errorCode", h.error, h.error_at as "errorAt",
           (coalesce(s.succeeded, 0) + coalesce(c.succeeded, 0))::integer as succeeded,
           (coalesce(s.failed, 0) + coalesce(c.failed, 0))::integer as failed
    from day cross join webhooks w
    left join webhook_health h on h.webhook_id = w.id
    left join changes c on c.webhook_id = w.id
    left join lateral (
      select sum(succeeded) as succeeded, sum(failed) as failed from delivery_stats
      where workspace_id = w.workspace_id and not is_total and webhook_id = w.id and step_minutes = 60
        and at >= day.start) s on true
    where w.id = any($1::uuid[])`,
};

/** Returns the health as callers see it. `health` is undefined for a webhook that has just been created. */
export function presentHealth(webhook: WithState, health: StoredHealth | undefined): Webhook['health'] {
  const { errorCode, error, errorAt, succeeded, failed } = health ?? noHealth;
  const ended = succeeded + failed;
  return {
    ...stateOf(webhook, health),
    last_error:
      errorCode === null ? null : { code: errorCode, error: error ?? '', at: errorAt?.toISOString() ?? '' },
    success_rate_24h: ended > 0 ? succeeded / ended : null,
  };
}

type WithState = Pick<StoredWebhook, 'enabled' | 'enabledChangedAt' | 'createdAt' | 'paused'>;

const noHealth: StoredHealth = {
  failing: null,
  since: null,
  errorCode: null,
  error: null,
  errorAt: null,
  succeeded: 0,
  failed: 0,
};

function stateOf(
  { enabled, enabledChangedAt, createdAt, paused }: WithState,
  { failing, since }: StoredHealth = noHealth,
): Pick<Webhook['health'], 'state' | 'since'> {
  if (!enabled) return { state: 'disabled', since: (enabledChangedAt ?? createdAt).toISOString() };
  if (paused !== null) return { state: 'paused', since: new Date(paused.since).toISOString() };
  if (failing === null) return { state: 'unknown', since: null };
  return { state: failing ? 'failing' : 'healthy', since: since?.toISOString() ?? null };
}
