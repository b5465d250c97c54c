import { randomUUID } from 'node:crypto';
import type { DeliveryDue, PauseReason } from '@tocsin/contracts';
import { type Database, firstIdOf, sqlArray } from '@tocsin/database';
import type { AlertOrNoticeFacts } from '@tocsin/template';
import { type ClaimedDelivery, noEntries } from './claimed-delivery.js';

export interface ClaimRepository {
  /**
   * Claims, in one commit, those deliveries that are queued, have the given run, and are not claimed. All other
   * deliveries are missing from the result, because they are waiting, are claimed already, have ended, or have another
   * run. If the call is repeated with the same token, it returns the deliveries that the first call claimed, with the
   * same claim numbers, and does not increase their `claimsWithoutOutcome` again.
   */
  claim(due: DeliveryDue[], token: string): Promise<ClaimedDelivery[]>;
  /**
   * Claims due deliveries of webhooks with a rate limit, retries first, and counts their requests towards the limits in
   * the same commit. Expired deliveries use no request. They are claimed even if the limit allows no request, unless
   * a manual pause has ended within the maximum age. A webhook whose limit is locked by another transaction is
   * skipped, and so is a locked delivery.
   */
  claimLimited(webhooks: LimitedWebhook[], options: LimitedOptions): Promise<ClaimedDelivery[]>;
}

interface LimitedOptions {
  /** Token of the claims, by which they can be released if the reply to the statement is lost. */
  token: string;
  /**
   * Maximum number of expired deliveries to claim. It is divided equally among the webhooks. If it is above 0, each
   * webhook gets at least one.
   */
  maxExpired: number;
}

interface LimitedWebhook {
  workspaceId: string;
  webhookId: string;
  /** Maximum number of deliveries to claim, in addition to expired ones. */
  places: number;
}

export interface ClaimOptions {
  workerId: string;
  queuedLeaseMs: number;
  /**
   * Age at which a delivery expires, in milliseconds. Expired deliveries are claimed even if the rate limit allows no
   * request, so that they can be ended.
   */
  maxAgeMs: number;
}

export function createClaimRepository(database: Database, options: ClaimOptions): ClaimRepository {
  const { workerId, queuedLeaseMs, maxAgeMs } = options;
  return {
    async claim(due, token) {
      const claimedAtMs = performance.now();
      const firstId = firstIdOf(due.map(({ deliveryId }) => deliveryId));
      const rows = await database.prepared<ClaimedRow>(claim, [...columnsOf(due), workerId, token, firstId]);
      return rows.map((row) => toClaimed(row, claimedAtMs));
    },
    async claimLimited(webhooks, { token, maxExpired }) {
      const maxExpiredOfEach = maxExpired > 0 ? Math.max(1, Math.floor(maxExpired / webhooks.length)) : 0;
      const claimedAtMs = performance.now();
      const rows = await database.prepared<ClaimedRow>(claimLimited, [
        sqlArray.uuid(webhooks.map(({ workspaceId }) => workspaceId)),
        sqlArray.uuid(webhooks.map(({ webhookId }) => webhookId)),
        sqlArray.integer(webhooks.map(({ places }) => places)),
        workerId,
        token,
        queuedLeaseMs,
        maxAgeMs,
        maxExpiredOfEach,
      ]);
      return rows.map((row) => ({
        ...toClaimed(row, claimedAtMs),
        limitedClaim: row.has_request === true ? 'with_request' : 'expired',
      }));
    },
  };
}

function columnsOf(due: DeliveryDue[]): [ids: Buffer, runs: Buffer] {
  return [
    sqlArray.uuid(due.map(({ deliveryId }) => deliveryId)),
    sqlArray.integer(due.map(({ run }) => run)),
  ];
}

export const newClaimToken = randomUUID;

/**
 * Returns the SQL that reads everything that is needed to send the deliveries of the CTE `claimed`. `alertRange` is an
 * additional condition on the rows of `alerts`, whose alias is `a`. `columns` are additional columns.
 */
const readClaimed = ({
  alertRange = '',
  columns = '',
}) => `select ${columns} c.delivery_id, c.run, c.claim, c.claims_without_outcome, c.step, c.manual, c.workspace_id, c.webhook_id,
           (extract(epoch from now() - c.opened_at) * 1000)::float8 as age_ms,
           a.alert_id, a.alert_rule_id, a.alert_rule_name, a.model_id, a.model_name, a.metric_value, a.threshold,
           a.bound, a.fired_at, a.state, a.labels, a.annotations, a.is_test, a.notice, a.request_id,
           a.traceparent,
           w.version, w.enabled, w.retry_on_timeout,
           p.reason as pause_reason, p.times as pause_times,
           (extract(epoch from p.paused_until - now()) * 1000)::float8 as pause_remaining_ms
    from claimed c
    join alerts a on a.id = c.alert_record_id ${alertRange}
    left join webhooks w on w.id = c.webhook_id and w.workspace_id = c.workspace_id
    left join webhook_pauses p on p.webhook_id = c.webhook_id`;

const isNewClaim = '(o.claim_token is distinct from $4::uuid)::integer';

// The rows are sorted by id, so that two workers that claim the same deliveries rarely deadlock. PostgreSQL may still
// choose a plan that updates them in another order. After a deadlock, the statement is repeated. Locking the rows in a
// separate step would write each page twice. $5 is a lower bound for the ids of the alerts, which excludes the
// partitions of earlier days. It is derived from the ids of the deliveries, because the ids of a delivery and of its
// alert begin with the same time.
const claim = {
  name: 'delivery.claim',
  text: `
    with due as materialized (
      select delivery_id, run from unnest($1::uuid[], $2::integer[]) as due(delivery_id, run)
      order by delivery_id
    ), claimed as (
      update open_deliveries o
      set claimed_by = $3::uuid, claim_token = $4::uuid,
          -- If the statement is repeated after a lost reply, the token is the same and the claim is not counted again.
          -- The first statement can also run after its repetition, and must not invalidate that claim (docs/adr/0005).
          claim = o.claim + ${isNewClaim}, claims_without_outcome = o.claims_without_outcome + ${isNewClaim}
      from due
      -- "= any" and "is not distinct from" make every plan find the rows by their ids (docs/adr/0004).
      where o.delivery_id = any($1::uuid[]) and o.delivery_id = due.delivery_id and o.run = due.run
        and o.state is not distinct from 'queued'
        and (o.claimed_by is null or o.claim_token = $4::uuid)
      returning o.*
    )
    ${readClaimed({ alertRange: 'and a.id >= $5::uuid' })}`,
};

// SQL for the interval between two requests of a webhook with a rate limit. After a time without requests, the requests
// of a quarter of a period can be sent at once. After this burst, requests are sent at 91 % of the limit. The margin of
// 9 % is needed because a request is sent a few milliseconds after its claim: requests that were claimed shortly before
// a period can be sent within it. For a limit of one or two requests this margin is too small. Such a limit has no
// burst, and its period counts as 100 ms longer.
export const requestInterval = `(l.period_ms * 1.1 + case when l.requests < 3 then 100 else 0 end) / l.requests
               * interval '1 millisecond'`;
const burstOf = `case when l.requests < 3 then 0 else l.period_ms * 0.25 end * interval '1 millisecond'`;

const maxAge = `$7::float8 * interval '1 millisecond'`;

/**
 * SQL that is true if the webhook `w` has no manual pause, or the last one ended more than `age` ago. All its
 * deliveries that have been due for longer than the maximum age `age` have then expired. Otherwise, the due time does
 * not tell whether a delivery has expired, because the time of a pause does not count.
 */
export const hasNoPauseWithin = (age: string) => `coalesce(upper(w.manual_pauses) < now() - ${age}, true)`;

const oldestOf = (condition: string, limit: string) => `array(
        select o.delivery_id from open_deliveries o
        where o.state = 'waiting' and o.workspace_id = t.workspace_id and o.webhook_id = t.webhook_id and ${condition}
        order by o.due_at limit ${limit} for update skip locked)`;

const claimLimited = {
  name: 'delivery.claim-limited',
  text: `
    with limits as materialized (
      select l.webhook_id, wanted.workspace_id, ${requestInterval} as every, greatest(l.next_at, now() - ${burstOf}) as from_at,
             wanted.places
      from unnest($1::uuid[], $2::uuid[], $3::integer[]) as wanted(workspace_id, webhook_id, places)
      join webhook_rate_limits l on l.webhook_id = wanted.webhook_id and l.webhook_id = any($2::uuid[])
      order by l.webhook_id for update of l skip locked
    ), allowed as materialized (
      select webhook_id, limits.workspace_id, every, from_at, w.manual_pauses,
             least(places, case when from_at > now() then 0
                   else 1 + floor(extract(epoch from now() - from_at) / extract(epoch from every)) end)::integer as free,
             -- Deliveries that were due before this time have expired, because they are older than the maximum age
             -- ($7).
             case when ${hasNoPauseWithin(maxAge)} then now() - ${maxAge} else '-infinity' end as expired_before
      from limits join webhooks w on w.id = limits.webhook_id and w.id = any($2::uuid[])
    ), chosen as materialized (
      -- Expired deliveries use no request, so they do not count towards the requests that are free.
      select retry.ids || first.ids || expired.ids as ids
      from allowed t
      cross join lateral (
        select ${oldestOf('o.step > 0 and o.due_at between t.expired_before and now()', 't.free')} as ids) retry
      cross join lateral (
        select ${oldestOf(
          'o.step = 0 and o.due_at between t.expired_before and now()',
          't.free - cardinality(retry.ids)',
        )} as ids) first
      cross join lateral (select ${oldestOf('o.due_at < t.expired_before', '$8::integer')} as ids) expired
    ), updated as (
      update open_deliveries o
      set state = 'queued', lease_until = now() + $6::float8 * interval '1 millisecond', claimed_by = $4::uuid,
          claim = o.claim + 1, claim_token = $5::uuid, claims_without_outcome = o.claims_without_outcome + 1
      where o.delivery_id = any(array(select unnest(ids) from chosen)) and o.state is not distinct from 'waiting'
      returning o.*
    ), claimed as materialized (
      -- An expired delivery that became due later, for example a retry, is claimed too, and uses no request either.
      select updated.*, now() - updated.opened_at - paused.total <= ${maxAge} as has_request
      from updated join allowed using (webhook_id)
      cross join lateral (
        select coalesce(sum(upper(p) - lower(p)), interval '0') as total
        from unnest(manual_pauses * tstzmultirange(tstzrange(least(opened_at, now()), now()))) p) paused
    ), spent as (
      update webhook_rate_limits l set next_at = allowed.from_at + used.requests * allowed.every
      from allowed join (
        select webhook_id, count(*) as requests from claimed where has_request group by webhook_id) used using (webhook_id)
      where l.webhook_id = any($2::uuid[]) and l.webhook_id = allowed.webhook_id
    )
    ${readClaimed({ columns: 'c.has_request,' })}`,
};

interface ClaimedRow extends Required<Omit<AlertOrNoticeFacts, 'workspace_id' | 'labels' | 'annotations'>> {
  delivery_id: string;
  run: number;
  claim: number;
  claims_without_outcome: number;
  step: number;
  manual: boolean;
  workspace_id: string;
  webhook_id: string;
  labels: AlertOrNoticeFacts['labels'] | null;
  annotations: AlertOrNoticeFacts['annotations'] | null;
  request_id: string | null;
  traceparent: string | null;
  age_ms: number;
  version: number | null;
  enabled: boolean | null;
  retry_on_timeout: boolean | null;
  pause_reason: PauseReason | null;
  pause_times: number | null;
  pause_remaining_ms: number | null;
  /** Only in the result of `claimLimited`. */
  has_request?: boolean;
}

function toClaimed(row: ClaimedRow, claimedAtMs: number): ClaimedDelivery {
  return {
    deliveryId: row.delivery_id,
    run: row.run,
    claim: row.claim,
    claimsWithoutOutcome: row.claims_without_outcome,
    step: row.step,
    ageMs: row.age_ms,
    manual: row.manual,
    workspaceId: row.workspace_id,
    webhookId: row.webhook_id,
    requestId: row.request_id,
    traceparent: row.traceparent,
    facts: {
      alert_id: row.alert_id,
      alert_rule_id: row.alert_rule_id,
      alert_rule_name: row.alert_rule_name,
      model_id: row.model_id,
      model_name: row.model_name,
      metric_value: row.metric_value,
      threshold: row.threshold,
      bound: row.bound,
      notice: row.notice,
      fired_at: row.fired_at,
      workspace_id: row.workspace_id,
      state: row.state,
      labels: row.labels ?? noEntries,
      annotations: row.annotations ?? noEntries,
      is_test: row.is_test,
    },
    webhook:
      row.version === null
        ? undefined
        : {
            version: row.version,
            enabled: row.enabled === true,
            retryOnTimeout: row.retry_on_timeout === true,
          },
    pause:
      row.pause_reason === null
        ? undefined
        : { reason: row.pause_reason, remainingMs: row.pause_remaining_ms ?? 0, times: row.pause_times ?? 1 },
    claimedAtMs,
  };
}
