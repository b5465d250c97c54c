import { type Database, sqlArray } from '@tocsin/database';
import { failuresAtWrite, insertDeliveries } from '@tocsin/deliveries';
import type { PlannedAlert } from './plan.js';

export interface FanOutRepository {
  /**
   * Writes alerts, their keys and their deliveries in one commit. An alert whose key exists already is skipped with its
   * deliveries, so the call is safe to repeat. The cooldown of a rule is evaluated while the row of the rule is locked,
   * so that two workers cannot dispatch two alerts in one cooldown. `markedAtMs` is the Unix time of a pipeline marker
   * in milliseconds; the table `pipeline_marker` keeps the latest of these times.
   */
  write(
    alerts: PlannedAlert[],
    as: { acceptedAtMs: number; token: string; markedAtMs: number | undefined },
  ): Promise<{
    /** Record ids of the alerts and open deliveries that this call has written. */
    ids: Set<string>;
    /**
     * Record ids of the written alerts that a cooldown suppresses. Their deliveries are not written. If a rule of the
     * batch has a cooldown, alerts that a silence suppresses are included too, because one result column reports both.
     */
    suppressed: ReadonlySet<string>;
    /** Start of the statement on the monotonic clock of the process, in milliseconds. */
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
      const deliveries = alerts.flatMap((alert) => alert.deliveries);
      const facts = alerts.map(({ resolved }) => resolved);
      const values = [
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
        sqlArray.uuid(deliveries.map((delivery) => delivery.id)),
        sqlArray.uuid(alerts.flatMap((alert) => alert.deliveries.map(() => alert.recordId))),
        sqlArray.uuid(deliveries.map((delivery) => delivery.webhookId)),
        sqlArray.text(deliveries.map((delivery) => delivery.webhookName)),
        sqlArray.text(deliveries.map((delivery) => delivery.destination)),
        sqlArray.text(deliveries.map((delivery) => delivery.state)),
        queuedLeaseMs,
        sqlArray.text(facts.map(({ requestId }) => requestId ?? null)),
        workerId,
        token,
        sqlArray.text(facts.map(({ storedWebhookIds: ids }) => ids && `{${ids.join(',')}}`)),
        failureCodes,
        failureErrors,
        markedAtMs === undefined ? null : new Date(markedAtMs),
        sqlArray.boolean(facts.map(({ alert }) => alert.is_test ?? false)),
        sqlArray.text(facts.map(({ alert }) => alert.state ?? 'firing')),
        sqlArray.text(facts.map(({ alert }) => toJson(alert.labels))),
        sqlArray.text(facts.map(({ alert }) => toJson(alert.annotations))),
        sqlArray.text(facts.map(({ span }) => span?.traceparent ?? null)),
        sqlArray.uuid(facts.map(({ publishedBy }) => publishedBy ?? null)),
      ];
      const cooling = alerts.filter(({ resolved }) => resolved.cooldownApplies);
      if (cooling.length === 0) {
        const written = await database.prepared<WrittenRow>(write, values);
        return { ids: idsOf(written), suppressed: none, claimedAtMs };
      }
      const written = await database.prepared<WrittenRow>(writeWithCooldown, [
        ...values,
        sqlArray.uuid([...new Set(cooling.map(({ resolved }) => resolved.alert.alert_rule_id))]),
        sqlArray.uuid(cooling.map(({ recordId }) => recordId)),
      ]);
      return { ids: idsOf(written), suppressed: idsOf(written.filter((row) => row.suppressed)), claimedAtMs };
    },
  };
}

interface WrittenRow {
  id: string;
  /**
   * True if a cooldown or a silence suppresses the alert. Only the statement for batches with cooldowns returns this
   * column.
   */
  suppressed?: boolean;
}

const none: ReadonlySet<string> = new Set();

function idsOf(rows: WrittenRow[]): Set<string> {
  return new Set(rows.map(({ id }) => id));
}

/** Parts of the SQL text that differ between batches with and without a rule that has a cooldown. */
interface CooldownParts {
  /** Subquery that reads and locks the rules with a cooldown. */
  rules: string;
  /**
   * Condition on the insert of the alert keys. It reads `rules`, so that PostgreSQL locks the rules before it inserts
   * keys.
   */
  after: string;
  /** Subquery for the new alerts that a cooldown suppresses, each with the alert that started the cooldown. */
  suppressed: string;
  outcome: string;
  by: string;
  byAlert: string;
  suppressedAlerts: string;
  /** Update of the rules whose cooldown starts with an alert of this batch. */
  started: string;
  /** Result column that is true for suppressed alerts. */
  returned: string;
  returnedOpen: string;
}

const withoutCooldown: CooldownParts = {
  rules: '',
  after: '',
  suppressed: '',
  outcome: 'outcome',
  by: `case outcome when 'suppressed' then 'silence' end`,
  byAlert: 'null::uuid',
  suppressedAlerts: '',
  started: '',
  returned: '',
  returnedOpen: '',
};

/** Parameters: the ids of the rules with a cooldown, and the record ids of their alerts in the order of the batch. */
const cooldownRules = '$34::uuid[]';
const cooldownAlerts = '$35::uuid[]';

// All alerts of a batch have the same time of acceptance. If no cooldown of a rule is in progress, the first alert of
// the rule starts one and suppresses the rule's other alerts in the batch, except those with the state `resolved`. An
// alert with the outcome `over_quota` starts no cooldown.
const withCooldown: CooldownParts = {
  rules: `
    ), rules as materialized (
      select id, cooldown_seconds, cooldown_alert_id, cooldown_from + cooldown_seconds * interval '1 second' as until
      from alert_rules where id = any(${cooldownRules})
      order by id for no key update`,
  after: 'where (select count(*) from rules) >= 0',
  suppressed: `
    ), suppressed as (
      select id, by_alert from (
        select a.id, case when rules.until > $1::timestamptz then rules.cooldown_alert_id
                          when first_value(a.outcome) over fired = 'dispatched'
                          then nullif(first_value(a.alert_id) over fired, a.alert_id) end as by_alert
        from a join k using (workspace_id, alert_id) join rules on rules.id = a.alert_rule_id
        where a.id = any(${cooldownAlerts}) and rules.cooldown_seconds > 0
        window fired as (partition by a.alert_rule_id order by array_position(${cooldownAlerts}, a.id))) cooling
      where by_alert is not null`,
  outcome: `case when suppressed.id is not null then 'suppressed' else outcome end`,
  by: `case when suppressed.id is not null then 'cooldown' when outcome = 'suppressed' then 'silence' end`,
  byAlert: 'suppressed.by_alert',
  suppressedAlerts: 'left join suppressed using (id)',
  started: `
    ), started as (
      update alert_rules set cooldown_from = $1::timestamptz, cooldown_alert_id = r.alert_id
      from r
      where alert_rules.id = any(${cooldownRules}) and alert_rules.id = r.alert_rule_id
        and r.id = any(${cooldownAlerts}) and r.outcome = 'dispatched'`,
  returned: `, outcome = 'suppressed' as suppressed`,
  returnedOpen: ', false',
};

function toJson(entries: Record<string, string> | undefined): string | null {
  return entries === undefined ? null : JSON.stringify(entries);
}

// Keys are inserted in a fixed order, so that two writers of the same alerts cannot deadlock. A pipeline marker with a
// future time is stored with the current time, because its negative age would hide a broken pipeline until that time.
const writeText = (cooldown: CooldownParts) => `
    with a as (
      select * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::uuid[], $7::text[], $8::uuid[],
                           $9::text[], $10::float8[], $11::float8[], $12::text[], $13::text[], $21::text[],
                           $24::text[], $28::boolean[], $29::text[], $30::text[], $31::text[], $32::text[],
                           $33::uuid[])
        as a(id, workspace_id, alert_id, fired_at, alert_rule_id, alert_rule_name, model_id, model_name,
             metric_value, threshold, bound, outcome, request_id, webhook_ids, is_test, state, labels,
             annotations, traceparent, published_by)${cooldown.rules}
    ), k as (
      insert into alert_keys (workspace_id, alert_id, accepted_at)
      select workspace_id, alert_id, $1::timestamptz from a ${cooldown.after} order by workspace_id, alert_id
      on conflict do nothing
      returning workspace_id, alert_id${cooldown.suppressed}
    ), r as (
      insert into alerts (id, workspace_id, alert_id, accepted_at, fired_at, alert_rule_id, alert_rule_name, model_id,
                          model_name, metric_value, threshold, bound, outcome, request_id, webhook_ids, is_test,
                          state, labels, annotations, traceparent, published_by, suppressed_by, suppressed_by_alert)
      select id, workspace_id, alert_id, $1::timestamptz, fired_at, alert_rule_id, alert_rule_name, model_id,
             model_name, metric_value, threshold, bound, ${cooldown.outcome}, request_id, webhook_ids::uuid[], is_test,
             state, labels::json, annotations::json, traceparent, published_by, ${cooldown.by}, ${cooldown.byAlert}
      from a join k using (workspace_id, alert_id) ${cooldown.suppressedAlerts}
      returning id, workspace_id, alert_id, alert_rule_id, outcome${cooldown.started}
    ), t as (
      select t.*, r.workspace_id, r.alert_id, r.alert_rule_id, failure.code as error_code, failure.error
      from unnest($14::uuid[], $15::uuid[], $16::uuid[], $17::text[], $18::text[], $19::text[])
        as t(id, alert_record_id, webhook_id, webhook_name, destination, state)
      join r on r.id = t.alert_record_id and r.outcome = 'dispatched'
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
    select id${cooldown.returned} from r union all select id${cooldown.returnedOpen} from o`;

const write = { name: 'fan-out.write', text: writeText(withoutCooldown) };
const writeWithCooldown = { name: 'fan-out.write-with-cooldown', text: writeText(withCooldown) };
