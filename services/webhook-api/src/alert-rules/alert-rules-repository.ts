import type { Bound } from '@tocsin/contracts';
import { type Database, firstIdAt, recordChanges, type Transaction } from '@tocsin/database';
import type { ChangeAuthor } from '../change.js';
import { requireFreeExternalId } from '../external-id.js';
import { countUpTo } from '../lists/list-query.js';
import { findUnknownWebhooks, lockWebhooksAndFindUnknown } from '../webhooks/unknown-webhooks.js';
import { lockRules } from './lock-rules.js';

export interface StoredAlertRule {
  id: string;
  workspaceId: string;
  externalId: string | null;
  name: string;
  modelId: string;
  threshold: number;
  bound: Bound;
  enabled: boolean;
  cooldownSeconds: number;
  silencedUntil: Date | null;
  /** Ids of the webhooks, in the order in which the last request listed them. */
  webhookIds: string[];
  /** Version of the rule: 1 at first, and increased by each change. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
  lastUpdatedBy: string;
}

type RuleKey = Pick<StoredAlertRule, 'id' | 'workspaceId'>;

interface AlertRuleFilter {
  workspaceId: string;
  externalId: string | undefined;
  /** Selects only the rules that call this webhook. */
  webhookId: string | undefined;
}

export interface AlertRuleQuery extends AlertRuleFilter {
  /** Id of the last row of the previous page. */
  after: string | undefined;
  limit: number;
}

/** Result of the creation or update of a rule. An update that changes no value also has the result `written`. */
export type WriteOutcome =
  | { kind: 'written'; rule: StoredAlertRule }
  /** The workspace of the rule has no webhooks with the ids in `ids`. */
  | { kind: 'unknown_webhooks'; ids: string[] }
  /** The workspace has reached its maximum number of rules. */
  | { kind: 'full' }
  | { kind: 'missing' };

export interface AlertRulesRepository {
  /** Returns undefined for an unknown or deleted rule. */
  find(id: string): Promise<StoredAlertRule | undefined>;
  /** Lists rules, oldest first. */
  list(query: AlertRuleQuery): Promise<StoredAlertRule[]>;
  /** Counts rules, up to `max`. */
  count(filter: AlertRuleFilter, max: number): Promise<number>;
  /** Returns the ids for which the workspace has no webhook. */
  findUnknownWebhooks(workspaceId: string, webhookIds: string[]): Promise<string[]>;
  /**
   * Creates a rule.
   * @throws AppError `conflict` if another rule has the external id
   */
  create(
    rule: StoredAlertRule,
    options: { maxPerWorkspace: number; author: ChangeAuthor },
  ): Promise<WriteOutcome>;
  /**
   * Calls `apply` with the locked rule and writes the result of `apply`, unless it is undefined. If the result has the
   * same array `webhookIds` as the locked rule, the ids of deleted webhooks are removed from the array. If the result
   * has another array, all webhooks in that array must exist in the workspace.
   * @throws AppError `precondition_failed` if `If-Match` names another version; `conflict` if another rule has the
   *   external id
   */
  update(
    rule: RuleKey,
    author: ChangeAuthor,
    apply: (current: StoredAlertRule) => { rule: StoredAlertRule; changedFields: string[] } | undefined,
  ): Promise<WriteOutcome>;
  /**
   * Detaches the webhooks of a rule and marks the rule as deleted. Returns false for an unknown or deleted rule.
   * @throws AppError `precondition_failed` if `If-Match` names another version
   */
  delete(rule: RuleKey, deletion: { author: ChangeAuthor; at: Date }): Promise<boolean>;
}

export function createAlertRulesRepository(database: Database): AlertRulesRepository {
  const { knex } = database;
  return {
    async find(id) {
      const [rule] = await database.prepared<StoredAlertRule>(findById, [id]);
      return rule;
    },

    async list({ after, limit, ...filter }) {
      const query = matching(knex, filter).select(knex.raw(columns)).orderBy('r.id').limit(limit);
      return after === undefined ? query : query.where('r.id', '>', after);
    },

    count: (filter, max) => countUpTo(knex, matching(knex, filter).select('r.id'), max),

    findUnknownWebhooks: (workspaceId, webhookIds) => findUnknownWebhooks(knex, workspaceId, webhookIds),

    create: (rule, { maxPerWorkspace, author }) =>
      knex.transaction(async (trx): Promise<WriteOutcome> => {
        const { workspaceId } = rule;
        await lockRules(trx, workspaceId);
        const kept = { workspace_id: workspaceId, deleted_at: null };
        const [counted] = await trx('alert_rules').where(kept).count('* as count');
        if (Number(counted?.count) >= maxPerWorkspace) return { kind: 'full' };
        const unknown = await lockWebhooksAndFindUnknown(trx, rule.workspaceId, rule.webhookIds);
        if (unknown.length > 0) return { kind: 'unknown_webhooks', ids: unknown };
        await requireFreeExternalId(trx, 'alert rule', rule);
        await trx('alert_rules').insert(toRow(rule));
        await attach(trx, rule);
        await recordChanges(trx, author, [
          { workspaceId, action: 'alert_rule.created', resourceId: rule.id },
        ]);
        return { kind: 'written', rule };
      }),

    update: ({ id, workspaceId }, author, apply) =>
      knex.transaction(async (trx): Promise<WriteOutcome> => {
        await lockRules(trx, workspaceId);
        const [current]: StoredAlertRule[] = await trx('alert_rules as r')
          .select(trx.raw(columns))
          .where({ id, deleted_at: null });
        if (current === undefined) return { kind: 'missing' };
        author.requireVersion(current.version);
        const applied = apply(current);
        if (applied === undefined) return { kind: 'written', rule: current };
        const { rule: changed, changedFields } = applied;
        const unknown = await lockWebhooksAndFindUnknown(trx, changed.workspaceId, changed.webhookIds);
        const keepsWebhooks = changed.webhookIds === current.webhookIds;
        if (unknown.length > 0 && !keepsWebhooks) return { kind: 'unknown_webhooks', ids: unknown };
        if (changed.externalId !== current.externalId)
          await requireFreeExternalId(trx, 'alert rule', changed);
        const rule = { ...changed, webhookIds: changed.webhookIds.filter((id) => !unknown.includes(id)) };
        await trx('alert_rules').where({ id }).update(toRow(rule));
        if (rule.cooldownSeconds > current.cooldownSeconds)
          await startCooldown(trx, rule, { hadCooldown: current.cooldownSeconds > 0 });
        await trx('alert_rule_webhooks').where({ alert_rule_id: id }).delete();
        await attach(trx, rule);
        await recordChanges(trx, author, [
          { workspaceId, action: 'alert_rule.updated', resourceId: id, changedFields },
        ]);
        return { kind: 'written', rule };
      }),

    delete: ({ id, workspaceId }, { author, at }) =>
      knex.transaction(async (trx) => {
        await lockRules(trx, workspaceId);
        const [current] = await trx('alert_rules').select('version').where({ id, deleted_at: null });
        if (current === undefined) return false;
        author.requireVersion(current.version);
        await trx('alert_rules').where({ id }).update({ deleted_at: at, updated_at: at, external_id: null });
        await trx('alert_rule_webhooks').where({ alert_rule_id: id }).delete();
        await recordChanges(trx, author, [{ workspaceId, action: 'alert_rule.deleted', resourceId: id }]);
        return true;
      }),
  };
}

function matching(knex: Database['knex'], { workspaceId, externalId, webhookId }: AlertRuleFilter) {
  const query = knex('alert_rules as r').where({ 'r.workspace_id': workspaceId, 'r.deleted_at': null });
  if (externalId !== undefined) query.where('r.external_id', externalId);
  if (webhookId === undefined) return query;
  return query.whereIn(
    'r.id',
    knex('alert_rule_webhooks').select('alert_rule_id').where({ webhook_id: webhookId }),
  );
}

/**
 * Stores in the rule the alert that starts its cooldown, after a request has made the cooldown longer. The alert is the
 * last dispatched one, if it was accepted within the length of the cooldown. Alerts with the state `resolved`, and
 * alerts that were dispatched by hand, start no cooldown. Workers store this alert for rules that have a cooldown, so
 * the alert of a rule with a cooldown is kept. It can be missing if it is older than the former cooldown.
 */
async function startCooldown(
  trx: Transaction,
  { id, workspaceId, cooldownSeconds }: StoredAlertRule,
  { hadCooldown }: { hadCooldown: boolean },
) {
  const { rows } = await trx.raw<{ rows: { now: Date }[] }>('select now() as now');
  const from = firstIdAt(rows[0]!.now.getTime() - cooldownSeconds * 1_000);
  await trx.raw(
    `update alert_rules r set cooldown_from = last.accepted_at, cooldown_alert_id = last.alert_id
     from (select 1) one left join lateral (
       select accepted_at, alert_id from alerts
       where workspace_id = :workspaceId and id >= cast(:from as uuid) and alert_rule_id = :id
         and outcome = 'dispatched' and state = 'firing' and dispatched_at is null
       order by id desc limit 1) last on true
     where r.id = :id and not (:hadCooldown and r.cooldown_from is not null)`,
    { workspaceId, id, from, hadCooldown },
  );
}

async function attach(trx: Transaction, { id, webhookIds }: StoredAlertRule): Promise<void> {
  if (webhookIds.length === 0) return;
  await trx('alert_rule_webhooks').insert(
    webhookIds.map((webhookId, position) => ({ alert_rule_id: id, webhook_id: webhookId, position })),
  );
}

const columns = `r.id, r.workspace_id as "workspaceId", r.external_id as "externalId", r.name,
  r.model_id as "modelId", r.threshold, r.bound, r.enabled,
  r.cooldown_seconds as "cooldownSeconds", r.silenced_until as "silencedUntil",
  r.version, r.created_at as "createdAt", r.updated_at as "updatedAt", r.last_updated_by as "lastUpdatedBy",
  array(select a.webhook_id::text from alert_rule_webhooks a where a.alert_rule_id = r.id order by a.position)
    as "webhookIds"`;

const findById = {
  name: 'alert-rules.find',
  text: `select ${columns} from alert_rules r where id = $1 and deleted_at is null`,
};

function toRow({ id, workspaceId, name, modelId, threshold, bound, enabled, ...rule }: StoredAlertRule) {
  return {
    id,
    workspace_id: workspaceId,
    external_id: rule.externalId,
    name,
    model_id: modelId,
    threshold,
    bound,
    enabled,
    cooldown_seconds: rule.cooldownSeconds,
    silenced_until: rule.silencedUntil,
    version: rule.version,
    created_at: rule.createdAt,
    updated_at: rule.updatedAt,
    last_updated_by: rule.lastUpdatedBy,
  };
}
