import { type Database, sqlArray } from '@tocsin/database';
import { failuresAtWrite, insertDeliveries } from '@tocsin/deliveries';
import type { PlannedAlert } from './plan.js';

export interface FanOutRepository {
  /**
   * Writes alerts, their keys and their deliveries in one commit, and is safe to repeat. An alert whose key exists is
   * skipped with its deliveries: the first one wins. The commit includes the time of a pipeline marker, in Unix
   * milliseconds, if one is given; the greatest wins.
   */
  write(
    alerts: PlannedAlert[],
    as: { acceptedAtMs: number; token: string; markedAtMs: number | undefined },
  ): Promise<{
    /** Record ids of the alerts and open deliveries that are new. */
    ids: Set<string>;
    /** Time before the statement, on this process's monotonic clock, in milliseconds. */
    claimedAtMs: number;
  }>;
}

export function createFanOutRepository(
  database: Database,
  { workerId, queuedLeaseMs }: { workerId: string; queuedLeaseMs: number },
): FanOutRepository {
  const failureCodes = sqlArray.text(Object.keys(failuresAtWrite));
  const failureErrors = sqlArray.text(Object.values(failuresAtWrite));
  return {
    async write(alerts, { acceptedAtMs, token, markedAtMs }) {
      const claimedAtMs = performance.now();
      const rows = alerts.flatMap(({ resolved, recordId: alertRecordId, deliveries }) =>
        deliveries.map((delivery) => ({ ...delivery, alertRecordId, alert: resolved.alert })),
      );
      const facts = alerts.map(({ resolved }) => resolved);
      const written = await database.prepared<{ id: string }>(write, [
        new Date(acceptedAtMs),
        sqlArray.uuid(alerts.map((alert) => alert.recordId)),
        sqlArray.uuid(facts.map(({ alert }) => alert.workspace_id)),
        sqlArray.uuid(facts.map(({ alert }) => alert.alert_id)),
        sqlArray.text(facts.map(({ alert }) => alert.fired_at)),
        sqlArray.uuid(facts.map(({ alert }) => alert.alert_rule_id)),
        sqlArray.text(facts.map(({ ruleName }) => ruleName)),
        sqlArray.uuid(facts.map(({ alert }) => alert.model_id)),
        sqlArray.text(facts.map(({ alert }) => alert.model_name)),
        sqlArray.float8(facts.map(({ alert }) => alert.metric_value)),
        sqlArray.float8(facts.map(({ threshold }) => threshold)),
        sqlArray.text(facts.map(({ bound }) => bound)),
        sqlArray.text(facts.map(({ outcome }) => outcome)),
        sqlArray.uuid(rows.map((row) => row.id)),
        sqlArray.uuid(rows.map((row) => row.alertRecordId)),
        sqlArray.uuid(rows.map((row) => row.webhookId)),
        sqlArray.text(rows.map((row) => row.webhookName)),
        sqlArray.text(rows.map((row) => row.destination)),
        sqlArray.text(rows.map((row) => row.state)),
        queuedLeaseMs,
        sqlArray.text(facts.map(({ requestId }) => requestId ?? null)),
        workerId,
        token,
        sqlArray.text(facts.map(({ storedWebhookIds: ids }) => ids && `{${ids.join(',')}}`)),
        failureCodes,
        failureErrors,
        markedAtMs === undefined ? null : new Date(markedAtMs),
        sqlArray.boolean(facts.map(({ alert }) => alert.is_test ?? false)),
      ]);
      return { ids: new Set(written.map(({ id }) => id)), claimedAtMs };
    },
  };
}

// Keys are inserted in order, so that two writers of the same alerts cannot deadlock. No marker is later than now: the
// pipeline would seem to work until that time.
const write = {
  name: 'fan-out.write',
  text: `
    with a as (
      select * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::uuid[], $7::text[], $8::uuid[],
                           $9::text[], $10::float8[], $11::float8[], $12::text[], $13::text[], $21::text[],
                           $24::text[], $28::boolean[])
        as a(id, workspace_id, alert_id, fired_at, alert_rule_id, alert_rule_name, model_id, model_name,
             metric_value, threshold, bound, outcome, request_id, webhook_ids, is_test)
    ), k as (
      insert into alert_keys (workspace_id, alert_id, accepted_at)
      select workspace_id, alert_id, $1::timestamptz from a order by workspace_id, alert_id
      on conflict do nothing
      returning workspace_id, alert_id
    ), r as (
      insert into alerts (id, workspace_id, alert_id, accepted_at, fired_at, alert_rule_id, alert_rule_name, model_id,
                          model_name, metric_value, threshold, bound, outcome, request_id, webhook_ids, is_test)
      select id, workspace_id, alert_id, $1::timestamptz, fired_at, alert_rule_id, alert_rule_name, model_id,
             model_name, metric_value, threshold, bound, outcome, request_id, webhook_ids::uuid[], is_test
      from a join k using (workspace_id, alert_id)
      returning id, workspace_id, alert_id, alert_rule_id
    ), t as (
      select t.*, r.workspace_id, r.alert_id, r.alert_rule_id, failure.code as error_code, failure.error
      from unnest($14::uuid[], $15::uuid[], $16::uuid[], $17::text[], $18::text[], $19::text[])
        as t(id, alert_record_id, webhook_id, webhook_name, destination, state)
      join r on r.id = t.alert_record_id
      left join unnest($25::text[], $26::text[]) as failure(code, error) on failure.code = t.state
    ), d as (
      ${insertDeliveries('t')}
    ), o as (
      insert into open_deliveries (delivery_id, workspace_id, webhook_id, alert_record_id, run, state, due_at,
                                   opened_at, claim, claimed_by, claims_without_outcome, claim_token, lease_until)
      select id, workspace_id, webhook_id, alert_record_id, 1, case state when 'waiting' then 'waiting' else 'queued' end,
             now(), now(), (state = 'claimed')::integer, case state when 'claimed' then $22::uuid end,
             (state = 'claimed')::integer, case state when 'claimed' then $23::uuid end,
             case when state <> 'waiting' then now() + $20::float8 * interval '1 millisecond' end
      from t where error_code is null
      returning delivery_id as id
    ), m as (
      insert into pipeline_marker (marked_at) select least(now(), $27::timestamptz) where $27::timestamptz is not null
      on conflict (id) do update
      set marked_at = least(now(), greatest(pipeline_marker.marked_at, excluded.marked_at))
    )
    select id from r union all select id from o`,
};
