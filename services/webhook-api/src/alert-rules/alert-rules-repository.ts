import type { Bound } from '@tocsin/contracts';
import type { Database, Transaction } from '@tocsin/database';

export interface StoredAlertRule {
  id: string;
  workspaceId: string;
  name: string;
  modelId: string;
  threshold: number;
  bound: Bound;
  enabled: boolean;
  /** In the order in which they were attached. */
  webhookIds: string[];
  createdAt: Date;
  updatedAt: Date;
}

interface AlertRuleQuery {
  workspaceId: string;
  /** Id of the row after which to begin. */
  after: string | undefined;
  /** Rows at the most. */
  limit: number;
}

/** `unknown_webhooks` names those that are not of the rule's workspace; nothing was written. */
export type WriteOutcome =
  | { kind: 'written'; rule: StoredAlertRule }
  | { kind: 'unknown_webhooks'; ids: string[] }
  | { kind: 'missing' };

export interface AlertRulesRepository {
  /** A deleted rule is not found. */
  find(id: string): Promise<StoredAlertRule | undefined>;
  list(query: AlertRuleQuery): Promise<StoredAlertRule[]>;
  create(rule: StoredAlertRule): Promise<WriteOutcome>;
  /**
   * Writes what `change` makes of the row, which is locked meanwhile. Where it leaves `webhookIds` as they are, the
   * same array, webhooks that are being deleted are dropped; others must be of the workspace.
   */
  update(id: string, change: (current: StoredAlertRule) => StoredAlertRule): Promise<WriteOutcome>;
  /** Detaches its webhooks and leaves a tombstone; false where there is no such rule. */
  delete(id: string, at: Date): Promise<boolean>;
}

export function createAlertRulesRepository(database: Database): AlertRulesRepository {
  const { knex } = database;
  return {
    async find(id) {
      const [row] = await database.prepared<AlertRuleRow>(findById, [id]);
      return row && toAlertRule(row);
    },

    async list({ workspaceId, after, limit }) {
      const { rows } = await knex.raw<{ rows: AlertRuleRow[] }>(
        `select ${columns} from alert_rules r
         where workspace_id = ? and deleted_at is null ${after === undefined ? '' : 'and id > ?::uuid'}
         order by id limit ?`,
        [workspaceId, ...(after === undefined ? [] : [after]), limit],
      );
      return rows.map(toAlertRule);
    },

    create: (rule) =>
      knex.transaction(async (trx): Promise<WriteOutcome> => {
        const unknown = await lockWebhooks(trx, rule);
        if (unknown.length > 0) return { kind: 'unknown_webhooks', ids: unknown };
        await trx('alert_rules').insert(toRow(rule));
        await attach(trx, rule);
        return { kind: 'written', rule };
      }),

    update: (id, change) =>
      knex.transaction(async (trx): Promise<WriteOutcome> => {
        // The row's lock first: what is attached to it is read once nobody else can change it.
        const locked = await trx.raw(
          'select 1 from alert_rules where id = ? and deleted_at is null for update',
          [id],
        );
        if (locked.rows.length === 0) return { kind: 'missing' };
        const { rows } = await trx.raw<{ rows: AlertRuleRow[] }>(
          `select ${columns} from alert_rules r where id = ?`,
          [id],
        );
        const current = toAlertRule(rows[0]!);
        const changed = change(current);
        const unknown = await lockWebhooks(trx, changed);
        const isKept = changed.webhookIds === current.webhookIds;
        if (unknown.length > 0 && !isKept) return { kind: 'unknown_webhooks', ids: unknown };
        const rule = { ...changed, webhookIds: changed.webhookIds.filter((id) => !unknown.includes(id)) };
        await trx('alert_rules').where({ id }).update(toRow(rule));
        await trx('alert_rule_webhooks').where({ alert_rule_id: id }).delete();
        await attach(trx, rule);
        return { kind: 'written', rule };
      }),

    delete: (id, at) =>
      knex.transaction(async (trx) => {
        const deleted = await trx('alert_rules')
          .where({ id, deleted_at: null })
          .update({ deleted_at: at, updated_at: at });
        await trx('alert_rule_webhooks').where({ alert_rule_id: id }).delete();
        return deleted > 0;
      }),
  };
}

/**
 * Keeps the rule's webhooks from being deleted until the transaction ends; the ids that are not of its workspace.
 * Taken before any attachment is touched, in the order of ids, as everyone takes them: so nobody deadlocks.
 */
async function lockWebhooks(
  trx: Transaction,
  { workspaceId, webhookIds }: StoredAlertRule,
): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    'select id from webhooks where workspace_id = ? and id = any(?::uuid[]) order by id for key share',
    [workspaceId, webhookIds],
  );
  const known = new Set(rows.map((row) => row.id));
  return webhookIds.filter((id) => !known.has(id));
}

async function attach(trx: Transaction, { id, webhookIds }: StoredAlertRule): Promise<void> {
  if (webhookIds.length === 0) return;
  await trx('alert_rule_webhooks').insert(
    webhookIds.map((webhookId, position) => ({ alert_rule_id: id, webhook_id: webhookId, position })),
  );
}

const columns = `r.id, r.workspace_id, r.name, r.model_id, r.threshold, r.bound, r.enabled, r.created_at, r.updated_at,
  array(select a.webhook_id::text from alert_rule_webhooks a where a.alert_rule_id = r.id order by a.position) as webhook_ids`;

const findById = {
  name: 'alert-rules.find',
  text: `select ${columns} from alert_rules r where id = $1 and deleted_at is null`,
};

interface AlertRuleRow {
  id: string;
  workspace_id: string;
  name: string;
  model_id: string;
  threshold: number;
  bound: Bound;
  enabled: boolean;
  created_at: Date;
  updated_at: Date;
  webhook_ids: string[];
}

function toAlertRule(row: AlertRuleRow): StoredAlertRule {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    modelId: row.model_id,
    threshold: row.threshold,
    bound: row.bound,
    enabled: row.enabled,
    webhookIds: row.webhook_ids,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toRow(rule: StoredAlertRule): Omit<AlertRuleRow, 'webhook_ids'> {
  return {
    id: rule.id,
    workspace_id: rule.workspaceId,
    name: rule.name,
    model_id: rule.modelId,
    threshold: rule.threshold,
    bound: rule.bound,
    enabled: rule.enabled,
    created_at: rule.createdAt,
    updated_at: rule.updatedAt,
  };
}
