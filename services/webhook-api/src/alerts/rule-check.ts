import { maxWebhookIds } from '@tocsin/contracts';
import { isNoticeRule } from '@tocsin/deliveries';
import { type FieldError, isUuid } from '@tocsin/kit';
import { LRUCache } from 'lru-cache';
import { unknownWebhooksError } from '../webhooks/webhook-ids.js';
import type { RulesOfAlerts, RulesReader } from './rules-reader.js';

/**
 * Ids in the message of an alert: the id of its rule, and the ids of its webhooks if the message contains the rule
 * itself. `webhookIds` is undefined if the message contains only the rule's id.
 */
export interface NamedResources {
  alertRuleId: string;
  webhookIds: string[] | undefined;
}

/** Checks the rules and webhooks that alerts of a workspace name. */
export interface RuleCheck {
  /**
   * Returns the errors of each alert, in the order of `named`. `named` contains undefined for an alert whose rule id
   * is missing or invalid. Such an alert gets no errors here, because the schema has already reported it.
   */
  errorsOf(workspaceId: string, named: (NamedResources | undefined)[]): Promise<FieldError[][]>;
}

/** Maximum number of rules in the cache. Each entry takes about 300 bytes. */
const maxRules = 20_000;

/**
 * Time for which the cached workspace of a rule is used, in milliseconds. A cached workspace is never wrong, because a
 * rule never changes its workspace and a deleted rule keeps its row. The time only limits how long the API publishes
 * alerts of known rules while the database is unavailable.
 */
const cacheTimeMs = 1_000;

/** Creates a check that caches the workspace of each registered rule. */
export function createRuleCheck(reader: RulesReader): RuleCheck {
  const workspaceIds = new LRUCache<string, string>({ max: maxRules, ttl: cacheTimeMs });

  const findRules = async (workspaceId: string, named: NamedResources[]): Promise<RulesOfAlerts> => {
    const found = await reader.findRules({
      workspaceId,
      alertRuleIds: unique(named.map(({ alertRuleId }) => alertRuleId)),
      webhookIds: unique(named.flatMap(({ webhookIds }) => webhookIds ?? [])),
    });
    for (const [alertRuleId, owner] of Object.entries(found.workspaceIds))
      workspaceIds.set(alertRuleId, owner);
    return found;
  };

  return {
    async errorsOf(workspaceId, named) {
      const owners = named.map((entry) => entry && workspaceIds.get(entry.alertRuleId));
      const unknown = named.filter((entry, index) => entry !== undefined && owners[index] === undefined);
      const found =
        unknown.length === 0 ? noRules : await findRules(workspaceId, unknown as NamedResources[]);
      const knownWebhookIds = new Set(found.knownWebhookIds);
      return named.map((entry, index) => {
        if (entry === undefined) return [];
        const owner = owners[index] ?? found.workspaceIds[entry.alertRuleId];
        if (owner === workspaceId) return [];
        const { alertRuleId, webhookIds } = entry;
        if (owner !== undefined || webhookIds === undefined || isNoticeRule(alertRuleId)) return [otherRule];
        return errorsOfWebhooks(webhookIds.filter((id) => !knownWebhookIds.has(id)));
      });
    },
  };
}

const noRules: RulesOfAlerts = { workspaceIds: {}, knownWebhookIds: [] };

function unique(ids: string[]): string[] {
  return [...new Set(ids)];
}

const otherRule: FieldError = {
  path: '/alert_rule_id',
  message:
    'is not an alert rule of this workspace; a monitor that keeps its own rules sends alert_rule with it',
};

function errorsOfWebhooks(unknown: string[]): FieldError[] {
  return unknown.length === 0 ? [] : [unknownWebhooksError(unknown, '/alert_rule/notification_webhook_ids')];
}

/**
 * Returns the ids of the rule and of up to 20 webhooks in a body that the schema has rejected. Webhook ids that are not
 * UUIDs are omitted. Returns undefined if the rule id is not a UUID.
 */
export function resourcesIn(body: unknown): NamedResources | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { alert_rule_id: alertRuleId, alert_rule: rule } = body as Record<string, unknown>;
  if (!isUuid(alertRuleId)) return undefined;
  return { alertRuleId: alertRuleId.toLowerCase(), webhookIds: webhookIdsIn(rule) };
}

function webhookIdsIn(rule: unknown): string[] | undefined {
  if (typeof rule !== 'object' || rule === null) return undefined;
  const { notification_webhook_ids: given } = rule as { notification_webhook_ids?: unknown };
  return Array.isArray(given)
    ? unique(given.filter(isUuid).map((id) => id.toLowerCase())).slice(0, maxWebhookIds)
    : [];
}
