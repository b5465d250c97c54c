import { randomUUID } from 'node:crypto';
import type { DeliveryDue } from '@tocsin/contracts';
import { type Database, firstIdOf, sqlArray } from '@tocsin/database';
import type { AlertFacts } from '@tocsin/template';
import type { ClaimedDelivery } from './claimed-delivery.js';

export interface ClaimRepository {
  /**
   * Claims deliveries that are queued, under this run, and not claimed by another worker, in one commit. Deliveries that
   * are missing from the result belong to another worker, have ended, or have a later run. A repeated statement with the
   * same token claims its own deliveries again and counts them once.
   */
  claim(due: DeliveryDue[], token: string): Promise<ClaimedDelivery[]>;
}

export function createClaimRepository(database: Database, workerId: string): ClaimRepository {
  return {
    async claim(due, token) {
      const claimedAtMs = performance.now();
      const firstId = firstIdOf(due.map(({ deliveryId }) => deliveryId));
      const rows = await database.prepared<ClaimedRow>(claim, [...columnsOf(due), workerId, token, firstId]);
      return rows.map((row) => toClaimed(row, claimedAtMs));
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

// Rows are updated in the order of their ids, so that two workers with the same messages do not deadlock; if a plan takes
// another order, the statement is safe to repeat. Locking the rows first would write each page twice. A delivery's id
// begins with the time of its alert's id: $5 is a lower bound that excludes older partitions of the alerts.
const claim = {
  name: 'delivery.claim',
  text: `
    with due as materialized (
      select delivery_id, run from unnest($1::uuid[], $2::integer[]) as due(delivery_id, run)
      order by delivery_id
    ), claimed as (
      update open_deliveries o
      set claimed_by = $3::uuid, claim = o.claim + 1, claim_token = $4::uuid,
          -- A repetition of this statement, after a lost reply, has the same token and is not another claim.
          claims_without_outcome =
            o.claims_without_outcome + (o.claim_token is distinct from $4::uuid)::integer
      from due
      -- "= any", and not "=" for the state, so that every plan finds the rows by their ids (docs/adr/0004).
      where o.delivery_id = any($1::uuid[]) and o.delivery_id = due.delivery_id and o.run = due.run
        and o.state is not distinct from 'queued'
        and (o.claimed_by is null or o.claim_token = $4::uuid)
      returning o.*
    )
    select c.delivery_id, c.run, c.claim, c.claims_without_outcome, c.step, c.manual, c.workspace_id, c.webhook_id,
           (extract(epoch from now() - c.opened_at) * 1000)::float8 as age_ms,
           a.alert_id, a.alert_rule_id, a.alert_rule_name, a.model_id, a.model_name, a.metric_value, a.threshold,
           a.bound, a.is_test, a.fired_at, a.request_id,
           w.version, w.enabled, w.retry_on_timeout,
           p.reason as pause_reason, p.times as pause_times,
           (extract(epoch from p.paused_until - now()) * 1000)::float8 as pause_remaining_ms
    from claimed c
    join alerts a on a.id = c.alert_record_id and a.id >= $5::uuid
    left join webhooks w on w.id = c.webhook_id and w.workspace_id = c.workspace_id
    left join webhook_pauses p on p.webhook_id = c.webhook_id`,
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
    facts: {
      alert_id: row.alert_id,
      alert_rule_id: row.alert_rule_id,
      alert_rule_name: row.alert_rule_name,
      model_id: row.model_id,
      model_name: row.model_name,
      metric_value: row.metric_value,
      threshold: row.threshold,
      bound: row.bound,
      is_test: row.is_test,
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
    pause:
      row.pause_reason === null
        ? undefined
        : { reason: row.pause_reason, remainingMs: row.pause_remaining_ms ?? 0, times: row.pause_times ?? 1 },
    claimedAtMs,
  };
}
