import { type Database, recordId, sqlArray } from '@tocsin/database';
import type { ResolvedAlert } from './resolve-alert.js';

/** One row to be: an alert for one webhook. */
interface PlannedDelivery {
  id: string;
  webhookId: string;
  webhookName: string;
  destination: string;
  /** Written as `queued`, to be published at once; else it waits for the dispatcher. */
  queued: boolean;
}

export interface PlannedAlert {
  resolved: ResolvedAlert;
  recordId: string;
  deliveries: PlannedDelivery[];
}

export interface FanOutRepository {
  /**
   * Writes alerts, their keys and their deliveries in one commit; the record ids of those alerts and deliveries
   * that are new. An alert whose key is taken is skipped whole: the first wins. Safe to repeat.
   */
  write(alerts: PlannedAlert[], acceptedAtMs: number): Promise<Set<string>>;
}

export function createFanOutRepository(database: Database, queuedLeaseMs: number): FanOutRepository {
  return {
    async write(alerts, acceptedAtMs) {
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
        sqlArray.boolean(rows.map((row) => row.queued)),
        queuedLeaseMs,
        sqlArray.text(facts.map(({ requestId }) => requestId ?? null)),
      ]);
      return new Set(written.map(({ id }) => id));
    },
  };
}

/** The ids under which an alert and its deliveries are kept; the same alert accepted at the same time has the same. */
export function alertRecordId(acceptedAtMs: number, workspaceId: string, alertId: string): string {
  return recordId(acceptedAtMs, `${workspaceId}/${alertId}`);
}

export function deliveryRecordId(
  acceptedAtMs: number,
  alert: { workspace_id: string; alert_id: string },
  webhookId: string,
): string {
  return recordId(acceptedAtMs, `${alert.workspace_id}/${alert.alert_id}/${webhookId}`);
}

// Keys go in sorted, so that two writers of the same alerts cannot deadlock.
const write = {
  name: 'fan-out.write',
  text: `
    with a as (
      select * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::uuid[], $7::text[], $8::uuid[],
                           $9::text[], $10::float8[], $11::float8[], $12::text[], $13::text[], $21::text[])
        as a(id, workspace_id, alert_id, fired_at, alert_rule_id, alert_rule_name, model_id, model_name,
             metric_value, threshold, bound, outcome, request_id)
    ), k as (
      insert into alert_keys (workspace_id, alert_id, accepted_at)
      select workspace_id, alert_id, $1::timestamptz from a order by workspace_id, alert_id
      on conflict do nothing
      returning workspace_id, alert_id
    ), r as (
      insert into alerts (id, workspace_id, alert_id, accepted_at, fired_at, alert_rule_id, alert_rule_name, model_id,
                          model_name, metric_value, threshold, bound, outcome, request_id)
      select id, workspace_id, alert_id, $1::timestamptz, fired_at, alert_rule_id, alert_rule_name, model_id,
             model_name, metric_value, threshold, bound, outcome, request_id
      from a join k using (workspace_id, alert_id)
      returning id, workspace_id, alert_id, alert_rule_id
    ), t as (
      select t.*, r.workspace_id, r.alert_id, r.alert_rule_id
      from unnest($14::uuid[], $15::uuid[], $16::uuid[], $17::text[], $18::text[], $19::boolean[])
        as t(id, alert_record_id, webhook_id, webhook_name, destination, queued)
      join r on r.id = t.alert_record_id
    ), d as (
      insert into deliveries (id, workspace_id, alert_id, alert_record_id, alert_rule_id, webhook_id, webhook_name,
                              destination, status)
      select id, workspace_id, alert_id, alert_record_id, alert_rule_id, webhook_id, webhook_name, destination, 'open'
      from t
    ), o as (
      insert into open_deliveries (delivery_id, workspace_id, webhook_id, alert_record_id, generation, state, due_at,
                                   opened_at, claim, lease_until)
      select id, workspace_id, webhook_id, alert_record_id, 1, case when queued then 'queued' else 'waiting' end,
             now(), now(), 0, case when queued then now() + $20::float8 * interval '1 millisecond' end
      from t
      returning delivery_id as id
    )
    select id from r union all select id from o`,
};
