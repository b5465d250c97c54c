import type { Bound } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';

/** The data of a webhook that fan-out uses. */
export interface TargetWebhook {
  id: string;
  workspaceId: string;
  name: string;
  destination: string;
  version: number;
  enabled: boolean;
  retryOnTimeout: boolean;
  /**
   * True if new deliveries must wait for the dispatcher, because the webhook has a rate limit, is paused, or is being
   * probed after a pause.
   */
  mustWait: boolean;
}

export interface RegisteredRule {
  id: string;
  workspaceId: string;
  name: string;
  threshold: number;
  bound: Bound;
  enabled: boolean;
  deleted: boolean;
  /** True during a silence of the rule. */
  silenced: boolean;
  hasCooldown: boolean;
  webhookIds: string[];
}

export interface RulesReader {
  /**
   * Reads the registered rules among `ruleIds`, their webhooks, the webhooks in `webhookIds`, and the database's time.
   * One statement reads everything, because every batch of alerts waits for the result.
   */
  find(wanted: { ruleIds: string[]; webhookIds: string[] }): Promise<{
    rules: Map<string, RegisteredRule>;
    webhooks: Map<string, TargetWebhook>;
    nowMs: number;
  }>;
}

export function createRulesReader(database: Database): RulesReader {
  return {
    async find({ ruleIds, webhookIds }) {
      const rows = await database.prepared<RuleRow | WebhookRow | ClockRow>(find, [ruleIds, webhookIds]);
      const rules = rows.filter((row) => row.kind === 'rule').map(toRule);
      const webhooks = rows.filter((row) => row.kind === 'webhook').map(toWebhook);
      const clock = rows.find((row) => row.kind === 'clock')!;
      return { rules: byId(rules), webhooks: byId(webhooks), nowMs: clock.now.getTime() };
    },
  };
}

// The result has three kinds of rows: rules, webhooks, and the time. The condition "= any(array(…))" makes PostgreSQL
// find webhooks by their ids in every plan (docs/adr/0004).
const find = {
  name: 'fan-out.find',
  text: `
    select 'rule' as kind, r.id, r.workspace_id, r.name, r.enabled,
           r.threshold, r.bound, r.deleted_at is not null as deleted,
           array(select l.webhook_id::text from alert_rule_webhooks l where l.alert_rule_id = r.id
                 order by l.position) as webhook_ids,
           null as destination, null as version, null as retry_on_timeout, null as must_wait,
           r.silenced_until > clock_timestamp() as silenced, r.cooldown_seconds > 0 as has_cooldown,
           null::timestamptz as now
    from alert_rules r
    where r.id = any($1::uuid[])
    union all
    select 'webhook', w.id, w.workspace_id, w.name, w.enabled,
           null, null, null, null,
           w.destination, w.version, w.retry_on_timeout, p.webhook_id is not null or w.rate_limit_requests is not null,
           null, null, null
    from webhooks w left join webhook_pauses p on p.webhook_id = w.id
    where w.id = any(array(
      select l.webhook_id from alert_rule_webhooks l where l.alert_rule_id = any($1::uuid[])
      union select unnest($2::uuid[])))
    union all
    select 'clock', null, null, null, null, null, null, null, null, null, null, null, null, null, null,
           clock_timestamp()`,
};

interface RuleRow {
  kind: 'rule';
  id: string;
  workspace_id: string;
  name: string;
  threshold: number;
  bound: Bound;
  enabled: boolean;
  deleted: boolean;
  silenced: boolean | null;
  has_cooldown: boolean;
  webhook_ids: string[];
}

interface WebhookRow {
  kind: 'webhook';
  id: string;
  workspace_id: string;
  name: string;
  destination: string;
  version: number;
  enabled: boolean;
  retry_on_timeout: boolean;
  must_wait: boolean;
}

interface ClockRow {
  kind: 'clock';
  now: Date;
}

function toRule(row: RuleRow): RegisteredRule {
  const { id, workspace_id, name, threshold, bound, enabled, deleted, silenced, has_cooldown, webhook_ids } =
    row;
  return {
    id,
    workspaceId: workspace_id,
    name,
    threshold,
    bound,
    enabled,
    deleted,
    silenced: silenced === true,
    hasCooldown: has_cooldown,
    webhookIds: webhook_ids,
  };
}

function toWebhook(row: WebhookRow): TargetWebhook {
  const { id, workspace_id, name, destination, version, enabled, retry_on_timeout, must_wait } = row;
  return {
    id,
    workspaceId: workspace_id,
    name,
    destination,
    version,
    enabled,
    retryOnTimeout: retry_on_timeout,
    mustWait: must_wait,
  };
}

function byId<T extends { id: string }>(entries: T[]): Map<string, T> {
  return new Map(entries.map((entry) => [entry.id, entry]));
}
