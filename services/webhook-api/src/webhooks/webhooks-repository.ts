import type { Database, Transaction } from '@tocsin/database';
import { lockRules } from '../alert-rules/lock-rules.js';
import type { Change } from '../change.js';
import { requireFreeExternalId } from '../external-id.js';
import type { StoredWebhook } from './stored-webhook.js';
import { optionColumns, toOptionRow } from './webhook-options.js';
import { applyOptions } from './webhook-options-repository.js';

export const webhookSorts = ['name', 'created_at', 'updated_at'] as const;
type WebhookSort = (typeof webhookSorts)[number];

/** A list entry: the webhook without its large columns. */
export interface ListedWebhook {
  id: string;
  name: string;
  createdAt: Date;
  updatedAt: Date;
  /** Size of the large columns. */
  bytes: number;
}

interface WebhookQuery {
  workspaceId: string;
  /** Part of the name, in any case. */
  name: string | undefined;
  externalId: string | undefined;
  sort: WebhookSort;
  order: 'asc' | 'desc';
  /** Sort value and id of the last row of the previous page. */
  after: string[] | undefined;
  /** Largest number of rows; unlimited unless given. */
  limit: number | undefined;
}

export interface RuleName {
  id: string;
  name: string;
}

interface WebhookChange {
  webhook: StoredWebhook;
  /** The change affects requests, so the pause that the destination caused is over. */
  affectsRequests: boolean;
  /** The change sets or ends the pause by hand. */
  changesPause: boolean;
}

type WebhookKey = Pick<StoredWebhook, 'id' | 'workspaceId'>;

interface Deletion {
  /** Removes the webhook from the rules and settings that use it, which is a change of these. */
  detach: boolean;
  change: Change;
  at: Date;
}

type DeleteOutcome =
  | { kind: 'deleted'; rules: RuleName[] }
  | { kind: 'missing' }
  /** Alert rules call the webhook, or the workspace calls it for notices. */
  | { kind: 'in_use'; rules: RuleName[]; forNotices: boolean };

export interface WebhooksRepository {
  find(id: string): Promise<StoredWebhook | undefined>;
  list(query: WebhookQuery): Promise<ListedWebhook[]>;
  /** True if the settings of the workspace name the webhook for notices. */
  isForNotices(webhook: WebhookKey): Promise<boolean>;
  /** Returns webhooks in the order of `ids`, without deleted ones. */
  findAll(ids: readonly string[]): Promise<StoredWebhook[]>;
  /**
   * Undefined, without an insert, when the workspace has `maxPerWorkspace` webhooks.
   * @throws AppError `conflict` for the external id of another webhook
   */
  create(webhook: StoredWebhook, maxPerWorkspace: number): Promise<StoredWebhook | undefined>;
  /**
   * Locks the row and writes the result of `apply`, unless that is undefined. Undefined for an unknown id.
   * @throws AppError `conflict` for the external id of another webhook
   */
  update(
    id: string,
    apply: (current: StoredWebhook) => WebhookChange | undefined,
  ): Promise<StoredWebhook | undefined>;
  /** @throws AppError `precondition_failed` */
  delete(webhook: WebhookKey, deletion: Deletion): Promise<DeleteOutcome>;
}

export function createWebhooksRepository(database: Database): WebhooksRepository {
  const { knex } = database;
  return {
    async find(id) {
      const [webhook] = await database.prepared<StoredWebhook>(findById, [id]);
      return webhook;
    },

    isForNotices: (webhook) => knex.transaction((trx) => isNoticeWebhook(trx, webhook)),

    async list({ workspaceId, name, externalId, sort, order, after, limit }) {
      const { expression, parameter } = sortings[sort];
      const query = knex('webhooks')
        .select(knex.raw(listedColumns))
        .where('workspace_id', workspaceId)
        .orderByRaw(`${expression} ${order}, id ${order}`);
      if (name !== undefined) query.whereRaw('position(lower(?) in lower(name)) > 0', [name]);
      if (externalId !== undefined) query.where('external_id', externalId);
      if (after !== undefined) {
        const comparison = order === 'asc' ? '>' : '<';
        query.whereRaw(`(${expression}, id) ${comparison} (${parameter}, ?::uuid)`, after);
      }
      if (limit !== undefined) query.limit(limit);
      return query;
    },

    async findAll(ids) {
      const webhooks = await database.prepared<StoredWebhook>(findByIds, [ids]);
      const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
      return ids.map((id) => byId.get(id)).filter((webhook) => webhook !== undefined);
    },

    create: (webhook, maxPerWorkspace) =>
      knex.transaction(async (trx) => {
        const { workspaceId } = webhook;
        // Without the lock, two transactions could both count one webhook less than the limit.
        await trx.raw(`select pg_advisory_xact_lock(hashtextextended('webhooks/' || ?, 0))`, [workspaceId]);
        const [counted] = await trx('webhooks').where('workspace_id', workspaceId).count('* as count');
        if (Number(counted?.count) >= maxPerWorkspace) return undefined;
        await requireFreeExternalId(trx, 'webhook', webhook);
        await trx('webhooks').insert(toRow(webhook));
        await applyOptions(trx, webhook, { changesPause: webhook.pausedUntil !== null });
        return readBack(trx, webhook);
      }),

    update: (id, apply) =>
      knex.transaction(async (trx) => {
        const before: StoredWebhook | undefined = await trx('webhooks')
          .select(trx.raw(columns))
          .where({ id })
          .forUpdate()
          .first();
        if (before === undefined) return undefined;
        const change = apply(before);
        if (change === undefined) return before;
        const { webhook, affectsRequests, changesPause } = change;
        if (webhook.externalId !== before.externalId) await requireFreeExternalId(trx, 'webhook', webhook);
        await trx('webhooks').where({ id }).update(toRow(webhook));
        await applyOptions(trx, webhook, { changesPause });
        if (affectsRequests)
          await trx('webhook_pauses').where({ webhook_id: id }).whereNot({ reason: 'manual' }).delete();
        if (before.disabledReason !== null && webhook.enabled) await forgetFailures(trx, webhook);
        if (before.enabled && !webhook.enabled) await makeDue(trx, webhook);
        else if (affectsRequests) await makeDue(trx, webhook, { untriedOnly: true });
        return readBack(trx, webhook);
      }),

    delete: ({ id, workspaceId }, { detach, change, at }) =>
      knex.transaction(async (trx): Promise<DeleteOutcome> => {
        if (detach) await lockRules(trx, workspaceId);
        // The foreign key of an attachment needs a lock on this row, so no rule attaches the webhook meanwhile.
        const [locked] = await trx('webhooks').select('version').where({ id }).forUpdate();
        if (locked === undefined) return { kind: 'missing' };
        change.requireVersion(locked.version);
        const rules: RuleName[] = await trx('alert_rule_webhooks as a')
          .join('alert_rules as r', 'r.id', 'a.alert_rule_id')
          .select('r.id', 'r.name')
          .where({ 'a.webhook_id': id, 'r.deleted_at': null })
          .orderBy(['r.name', 'r.id']);
        const forNotices = await isNoticeWebhook(trx, { id, workspaceId });
        if (!detach && (rules.length > 0 || forNotices)) return { kind: 'in_use', rules, forNotices };
        const changed = {
          version: trx.raw('version + 1'),
          updated_at: at,
          last_updated_by: change.principal,
        };
        const ruleIds = rules.map((rule) => rule.id);
        if (rules.length > 0) await trx('alert_rules').whereIn('id', ruleIds).update(changed);
        if (forNotices)
          await trx('workspace_settings')
            .where({ workspace_id: workspaceId })
            .update({
              ...changed,
              notice_webhook_ids: trx.raw('array_remove(notice_webhook_ids, cast(? as uuid))', [id]),
            });
        await trx('alert_rule_webhooks').where({ webhook_id: id }).delete();
        await trx('webhook_pauses').where({ webhook_id: id }).delete();
        await trx('webhook_health').where({ webhook_id: id }).delete();
        await trx('webhooks').where({ id }).delete();
        await makeDue(trx, { id, workspaceId });
        return { kind: 'deleted', rules };
      }),
  };
}

/** The row as it is now, with its pause. */
async function readBack(trx: Transaction, { id }: WebhookKey): Promise<StoredWebhook> {
  return trx('webhooks').select(trx.raw(columns)).where({ id }).first();
}

/** A webhook that was disabled automatically gets the whole time again. */
async function forgetFailures(trx: Transaction, { id }: WebhookKey): Promise<void> {
  await trx('webhook_health').where({ webhook_id: id }).delete();
  await trx('webhook_notices').where({ webhook_id: id }).delete();
}

async function isNoticeWebhook(trx: Transaction, { id, workspaceId }: WebhookKey): Promise<boolean> {
  const named = await trx('workspace_settings')
    .select('workspace_id')
    .where({ workspace_id: workspaceId })
    .whereRaw('? = any(notice_webhook_ids)', [id])
    .forUpdate();
  return named.length > 0;
}

/** Limit that keeps the transaction below a second. Further deliveries become due at their own time. */
const maxMadeDue = 10_000;

/**
 * Makes waiting deliveries of a webhook due now. Those of a deleted or disabled webhook then end at once; for a changed
 * webhook only deliveries without an attempt are due, because retries keep their schedule. Locked rows are skipped:
 * their worker or caller reads the webhook itself.
 */
async function makeDue(
  trx: Transaction,
  { id, workspaceId }: WebhookKey,
  { untriedOnly = false } = {},
): Promise<void> {
  await trx.raw(
    `update open_deliveries o set due_at = now()
     from (select delivery_id from open_deliveries
           where state = 'waiting' and workspace_id = ? and webhook_id = ? and due_at > now()
             ${untriedOnly ? 'and step = 0' : ''}
           limit ? for update skip locked) later
     where o.delivery_id = later.delivery_id`,
    [workspaceId, id, maxMadeDue],
  );
}

// A pause that is over is not shown: single requests probe the destination. A subquery allows "for update".
const columns = `id, workspace_id as "workspaceId", external_id as "externalId", name, url_encrypted as "urlEncrypted",
  headers_encrypted as "headersEncrypted", body_encrypted as "bodyEncrypted", destination,
  header_names as "headerNames", enabled, disabled_at as "disabledAt", retry_on_timeout as "retryOnTimeout",
  ${optionColumns}, version, created_at as "createdAt", updated_at as "updatedAt", last_updated_by as "lastUpdatedBy",
  (select jsonb_build_object('reason', p.reason, 'since', p.since, 'until', p.paused_until, 'error', p.error)
   from webhook_pauses p where p.webhook_id = webhooks.id and p.paused_until > now()) as paused`;

const listedColumns = `id, name, created_at as "createdAt", updated_at as "updatedAt",
  octet_length(url_encrypted) + octet_length(headers_encrypted) + octet_length(body_encrypted) as bytes`;

const findById = { name: 'webhooks.find', text: `select ${columns} from webhooks where id = $1` };

const findByIds = {
  name: 'webhooks.find_all',
  text: `select ${columns} from webhooks where id = any($1::uuid[])`,
};

const sortings: Record<WebhookSort, { expression: string; parameter: string }> = {
  name: { expression: 'lower(name)', parameter: 'lower(?)' },
  created_at: { expression: 'created_at', parameter: '?::timestamptz' },
  updated_at: { expression: 'updated_at', parameter: '?::timestamptz' },
};

function toRow(webhook: StoredWebhook) {
  return {
    id: webhook.id,
    workspace_id: webhook.workspaceId,
    external_id: webhook.externalId,
    name: webhook.name,
    url_encrypted: webhook.urlEncrypted,
    headers_encrypted: webhook.headersEncrypted,
    body_encrypted: webhook.bodyEncrypted,
    destination: webhook.destination,
    header_names: webhook.headerNames,
    enabled: webhook.enabled,
    disabled_at: webhook.disabledAt,
    retry_on_timeout: webhook.retryOnTimeout,
    ...toOptionRow(webhook),
    version: webhook.version,
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
    last_updated_by: webhook.lastUpdatedBy,
  };
}
