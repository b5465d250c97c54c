import type { Bound } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';

/** A webhook as fan-out sees it. `held` says that new deliveries should wait. */
export interface TargetWebhook {
  id: string;
  workspaceId: string;
  name: string;
  destination: string;
  version: number;
  enabled: boolean;
  retryOnTimeout: boolean;
  held: boolean;
}

export interface RegisteredRule {
  id: string;
  workspaceId: string;
  name: string;
  threshold: number;
  bound: Bound;
  enabled: boolean;
  deleted: boolean;
  webhookIds: string[];
}

export interface RulesReader {
  findRules(ids: string[]): Promise<RegisteredRule[]>;
  findWebhooks(ids: string[]): Promise<TargetWebhook[]>;
}

export function createRulesReader(database: Database): RulesReader {
  return {
    async findRules(ids) {
      const rows = await database.prepared<RuleRow>(findRules, [ids]);
      return rows.map(toRule);
    },
    async findWebhooks(ids) {
      const rows = await database.prepared<WebhookRow>(findWebhooks, [ids]);
      return rows.map(toWebhook);
    },
  };
}

const findRules = {
  name: 'fan-out.find-rules',
  text: `
    select r.id, r.workspace_id, r.name, r.threshold, r.bound, r.enabled, r.deleted_at is not null as deleted,
           coalesce(array_agg(w.webhook_id::text order by w.position) filter (where w.webhook_id is not null), '{}') as webhook_ids
    from alert_rules r left join alert_rule_webhooks w on w.alert_rule_id = r.id
    where r.id = any($1::uuid[])
    group by r.id`,
};

const findWebhooks = {
  name: 'fan-out.find-webhooks',
  text: `
    select w.id, w.workspace_id, w.name, w.destination, w.version, w.enabled, w.retry_on_timeout,
           h.webhook_id is not null as held
    from webhooks w left join webhook_holds h on h.webhook_id = w.id
    where w.id = any($1::uuid[])`,
};

interface RuleRow {
  id: string;
  workspace_id: string;
  name: string;
  threshold: number;
  bound: Bound;
  enabled: boolean;
  deleted: boolean;
  webhook_ids: string[];
}

interface WebhookRow {
  id: string;
  workspace_id: string;
  name: string;
  destination: string;
  version: number;
  enabled: boolean;
  retry_on_timeout: boolean;
  held: boolean;
}

function toRule(row: RuleRow): RegisteredRule {
  const { workspace_id, webhook_ids, ...rest } = row;
  return { ...rest, workspaceId: workspace_id, webhookIds: webhook_ids };
}

function toWebhook(row: WebhookRow): TargetWebhook {
  const { workspace_id, retry_on_timeout, ...rest } = row;
  return { ...rest, workspaceId: workspace_id, retryOnTimeout: retry_on_timeout };
}
