import { randomUUID } from 'node:crypto';
import type { DeliveryDue } from '@tocsin/contracts';
import { type Database, firstIdOf, sqlArray } from '@tocsin/database';
import type { AlertFacts } from '@tocsin/template';
import { type Claimed, maxClaimsWithoutOutcome, suspectedAfter } from './claimed.js';

export interface ClaimRepository {
  /**
   * Claims what is queued and not claimed by another, in one commit. What is missing from the answer is not ours, or is
   * suspected.
   */
  claim(due: DeliveryDue[], token: string): Promise<Claimed[]>;
  /**
   * Claims at most one of those that are suspected, one that has seen the fewest workers die: `maxDeaths` at the most, or
   * so many that it is not sent any more.
   */
  claimSuspect(wanted: {
    due: DeliveryDue[];
    token: string;
    maxDeaths: number;
  }): Promise<Claimed | undefined>;
  /** Puts those that are suspected, queued, and not claimed by another back for some seconds. */
  postponeSuspects(due: DeliveryDue[], token: string): Promise<void>;
}

export function createClaimRepository(database: Database, leaseMs: number): ClaimRepository {
  const run = async (statement: typeof claim, due: DeliveryDue[], token: string, ...more: unknown[]) => {
    // Before the statement: our idea of the lease ends before the database's.
    const leaseEndsAtMs = performance.now() + leaseMs;
    const first = firstIdOf(due.map(({ deliveryId }) => deliveryId));
    const parameters = [...columnsOf(due), leaseMs, token, first, ...more];
    const rows = await database.prepared<ClaimedRow>(statement, parameters);
    return rows.map((row) => toClaimed(row, leaseEndsAtMs));
  };
  return {
    claim: (due, token) => run(claim, due, token),
    claimSuspect: async ({ due, token, maxDeaths }) => (await run(claimSuspect, due, token, maxDeaths))[0],
    async postponeSuspects(due, token) {
      await database.prepared(postponeSuspects, [...columnsOf(due), token]);
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

/** Before this claim: a statement that is repeated because its answer was lost is no crash. */
const claimsBefore = (token: string) =>
  `(o.claims_without_outcome - (o.claim_token is not distinct from ${token}::uuid)::integer)`;

const isFree = (token: string) =>
  `(not o.claimed or o.lease_until < now() or o.claim_token = ${token}::uuid)`;

// Rows are taken in the order of their ids, so that two workers with the same messages do not deadlock; should a plan
// take them otherwise, the statement is safe to repeat. Locking them first would write each row's page twice. An alert's
// id has the time of its deliveries' ids.
const claimOf = (due: string, isOurs: string) => `
    with due as materialized (${due}), claimed as (
      update open_deliveries o
      set claimed = true, claim = o.claim + 1, claims_without_outcome = ${claimsBefore('$4')} + 1,
          claim_token = $4::uuid, lease_until = now() + $3::float8 * interval '1 millisecond'
      from due
      -- "= any", and not "=" for the state: whatever the planner thinks of the table, rows are found by their ids
      -- (docs/adr/0007).
      where o.delivery_id = any($1::uuid[]) and o.delivery_id = due.delivery_id and o.run = due.run
        and o.state is not distinct from 'queued' and ${isFree('$4')} and ${isOurs}
      returning o.*
    )
    select c.delivery_id, c.run, c.claim, c.claims_without_outcome, c.step, c.manual, c.workspace_id, c.webhook_id,
           (extract(epoch from now() - c.opened_at) * 1000)::float8 as age_ms,
           a.alert_id, a.alert_rule_id, a.alert_rule_name, a.model_id, a.model_name, a.metric_value, a.threshold,
           a.bound, a.fired_at, a.request_id,
           w.version, w.enabled, w.retry_on_timeout,
           p.reason as pause_reason, p.times as pause_times,
           (extract(epoch from p.paused_until - now()) * 1000)::float8 as pause_remaining_ms
    from claimed c
    join alerts a on a.id = c.alert_record_id and a.id >= $5::uuid
    left join webhooks w on w.id = c.webhook_id and w.workspace_id = c.workspace_id
    left join webhook_pauses p on p.webhook_id = c.webhook_id`;

const claim = {
  name: 'delivery.claim',
  text: claimOf(
    `
      select delivery_id, run from unnest($1::uuid[], $2::integer[]) as due(delivery_id, run)
      order by delivery_id
    `,
    `${claimsBefore('$4')} < ${suspectedAfter}`,
  ),
};

const claimSuspect = {
  name: 'delivery.claim-suspect',
  text: claimOf(
    `
      select o.delivery_id, o.run
      from open_deliveries o
      join unnest($1::uuid[], $2::integer[]) as due(delivery_id, run) using (delivery_id, run)
      where o.delivery_id = any($1::uuid[]) and o.state is not distinct from 'queued' and ${isFree('$4')}
        and ${claimsBefore('$4')} >= ${suspectedAfter}
        and (${claimsBefore('$4')} <= $6::integer or ${claimsBefore('$4')} >= ${maxClaimsWithoutOutcome})
      order by o.claim_token is not distinct from $4::uuid desc, o.claims_without_outcome, random() limit 1
    `,
    'true',
  ),
};

// Over some seconds, so that many do not come back together only to be put back again.
const postponeSuspects = {
  name: 'delivery.postpone-suspects',
  text: `
    update open_deliveries o
    set state = 'waiting', claimed = false, claim_token = null, lease_until = null,
        claims_without_outcome = ${claimsBefore('$3')},
        due_at = now() + random() * interval '5 seconds'
    from unnest($1::uuid[], $2::integer[]) as due(delivery_id, run)
    where o.delivery_id = any($1::uuid[]) and o.delivery_id = due.delivery_id and o.run = due.run
      and o.state is not distinct from 'queued' and ${isFree('$3')}
      and ${claimsBefore('$3')} >= ${suspectedAfter}`,
};

interface ClaimedRow extends Omit<AlertFacts, 'workspace_id'> {
  delivery_id: string;
  run: number;
  claim: number;
  claims_without_outcome: number;
  step: number;
  manual: boolean;
  workspace_id: string;
  webhook_id: string;
  request_id: string | null;
  age_ms: number;
  version: number | null;
  enabled: boolean | null;
  retry_on_timeout: boolean | null;
  pause_reason: 'retry_after' | 'circuit' | null;
  pause_times: number | null;
  pause_remaining_ms: number | null;
}

function toClaimed(row: ClaimedRow, leaseEndsAtMs: number): Claimed {
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
    facts: {
      alert_id: row.alert_id,
      alert_rule_id: row.alert_rule_id,
      alert_rule_name: row.alert_rule_name,
      model_id: row.model_id,
      model_name: row.model_name,
      metric_value: row.metric_value,
      threshold: row.threshold,
      bound: row.bound,
      fired_at: row.fired_at,
      workspace_id: row.workspace_id,
    },
    webhook:
      row.version === null
        ? undefined
        : {
            version: row.version,
            enabled: row.enabled === true,
            retryOnTimeout: row.retry_on_timeout === true,
          },
    hold:
      row.pause_reason === null
        ? undefined
        : { reason: row.pause_reason, remainingMs: row.pause_remaining_ms ?? 0, times: row.pause_times ?? 1 },
    leaseEndsAtMs,
  };
}
