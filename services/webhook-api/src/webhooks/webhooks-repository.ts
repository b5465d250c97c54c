import { type Database, keyIdSql, lockName, recordChanges, type Transaction } from '@tocsin/database';
import { makeDue } from '@tocsin/deliveries';
import type { ChangeAuthor } from '../change.js';
import { requireFreeExternalId } from '../external-id.js';
import { countUpTo } from '../lists/list-query.js';
import type { StoredWebhook, WebhookKey, WebhookWithoutSecrets, WrittenWebhook } from './stored-webhook.js';
import {
  type DeleteOutcome,
  type Deletion,
  deleteWebhook,
  settingsWithNotices,
} from './webhook-deletion-repository.js';
import { findWebhooks, type WebhookFilter } from './webhook-filter.js';
import { webhooksWithHealth } from './webhook-health.js';
import { optionColumns, toOptionRow } from './webhook-options.js';
import { applyOptions } from './webhook-options-repository.js';

export const webhookSorts = ['name', 'created_at', 'updated_at'] as const;
type WebhookSort = (typeof webhookSorts)[number];

/** The id of a webhook in a list, with the values that paging needs. */
export interface ListedWebhook {
  id: string;
  /** Value by which the list is sorted, as text. */
  sortValue: string;
  /** Size of the encrypted URL, headers and body, in bytes. */
  bytes: number;
}

interface WebhookQuery extends WebhookFilter {
  sort: WebhookSort;
  order: 'asc' | 'desc';
  /** Sort value and id of the last row of the previous page. */
  after: string[] | undefined;
  /** Maximum number of rows. Default: no limit. */
  limit: number | undefined;
}

interface WebhookChange {
  webhook: WrittenWebhook;
  changedFields: string[];
  /** True if the change affects the webhook's requests. In this case its pause ends, except a manual pause. */
  affectsRequests: boolean;
  /** True if the change can start or end a manual pause. */
  changesPause: boolean;
}

export interface WebhooksRepository {
  find(id: string): Promise<StoredWebhook | undefined>;
  list(query: WebhookQuery): Promise<ListedWebhook[]>;
  /** Counts webhooks, up to `max`. */
  count(filter: WebhookFilter, max: number): Promise<number>;
  /** Returns true if the webhook receives the notices of its workspace. */
  isForNotices(webhook: WebhookKey): Promise<boolean>;
  /** Returns webhooks in the order of `ids`. Deleted webhooks are omitted. */
  findAll(ids: readonly string[]): Promise<StoredWebhook[]>;
  /** Works like `findAll`, without the encrypted values. `keyIds` are the ids of the keys that this process has. */
  findAllWithoutSecrets(ids: readonly string[], keyIds: readonly string[]): Promise<WebhookWithoutSecrets[]>;
  /**
   * Creates a webhook. Returns undefined and inserts nothing if the workspace has `maxPerWorkspace` webhooks.
   * @throws AppError `conflict` if another webhook has the external id
   */
  create(
    webhook: WrittenWebhook,
    options: { maxPerWorkspace: number; author: ChangeAuthor },
  ): Promise<StoredWebhook | undefined>;
  /**
   * Calls `apply` with the locked webhook and writes its result, unless the result is undefined. Returns undefined for
   * an unknown id.
   * @throws AppError `precondition_failed` if `If-Match` names another version; `conflict` if another webhook has the
   *   external id
   */
  update(
    id: string,
    author: ChangeAuthor,
    apply: (current: WrittenWebhook) => WebhookChange | undefined,
  ): Promise<StoredWebhook | undefined>;
  /**
   * Deletes a webhook.
   * @throws AppError `precondition_failed` if `If-Match` names another version
   */
  delete(webhook: WebhookKey, deletion: Deletion): Promise<DeleteOutcome>;
}

export function createWebhooksRepository(database: Database): WebhooksRepository {
  const { knex } = database;
  return {
    async find(id) {
      const [webhook] = await database.prepared<StoredWebhook>(findByIds, [[id]]);
      return webhook;
    },

    isForNotices: async (webhook) => (await settingsWithNotices(knex, webhook)).length > 0,

    async list({ sort, order, after, limit, ...filter }) {
      const { expression, type } = sortings[sort];
      const query = findWebhooks(knex, filter)
        .select('id', knex.raw(`(${expression})::text as "sortValue", ${bytes} as bytes`))
        .orderByRaw(`${expression} ${order}, id ${order}`);
      if (after !== undefined) {
        const comparison = order === 'asc' ? '>' : '<';
        query.whereRaw(`(${expression}, id) ${comparison} (cast(? as ${type}), ?::uuid)`, after);
      }
      if (limit !== undefined) query.limit(limit);
      return query;
    },

    count: (filter, max) => countUpTo(knex, findWebhooks(knex, filter).select('id'), max),

    findAll: async (ids) => inOrder(ids, await database.prepared<StoredWebhook>(findByIds, [ids])),

    findAllWithoutSecrets: async (ids, keyIds) =>
      inOrder(ids, await database.prepared<WebhookWithoutSecrets>(findByIdsWithoutSecrets, [ids, keyIds])),

    create: (webhook, { maxPerWorkspace, author }) =>
      knex.transaction(async (trx) => {
        const { workspaceId } = webhook;
        // Without this lock, two transactions could count the webhooks at the same time and together exceed the limit.
        await lockName(trx, `webhooks/${workspaceId}`);
        const [counted] = await trx('webhooks').where('workspace_id', workspaceId).count('* as count');
        if (Number(counted?.count) >= maxPerWorkspace) return undefined;
        await requireFreeExternalId(trx, 'webhook', webhook);
        await trx('webhooks').insert(toRow(webhook));
        await applyOptions(trx, webhook, { changesPause: webhook.pausedUntil !== null });
        await recordChanges(trx, author, [
          { workspaceId, action: 'webhook.created', resourceId: webhook.id },
        ]);
        return readBack(trx, webhook);
      }),

    update: (id, author, apply) =>
      knex.transaction(async (trx) => {
        const before: WrittenWebhook | undefined = await trx('webhooks')
          .select(trx.raw(writtenColumns))
          .where({ id })
          .forUpdate()
          .first();
        if (before === undefined) return undefined;
        author.requireVersion(before.version);
        const applied = apply(before);
        if (applied === undefined) return readBack(trx, before);
        const { webhook, changedFields, affectsRequests, changesPause } = applied;
        const { workspaceId } = webhook;
        if (webhook.externalId !== before.externalId) await requireFreeExternalId(trx, 'webhook', webhook);
        await trx('webhooks').where({ id }).update(toRow(webhook));
        await recordChanges(trx, author, [
          { workspaceId, action: 'webhook.updated', resourceId: id, changedFields },
        ]);
        await applyOptions(trx, webhook, { changesPause });
        if (affectsRequests)
          await trx('webhook_pauses').where({ webhook_id: id }).whereNot({ reason: 'manual' }).delete();
        if (before.enabled && !webhook.enabled) await makeDue(trx, webhook);
        else if (affectsRequests) await makeDue(trx, webhook, { only: 'unretried' });
        return readBack(trx, webhook);
      }),

    delete: (webhook, deletion) => knex.transaction((trx) => deleteWebhook(trx, webhook, deletion)),
  };
}

function inOrder<Row extends { id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

/** Reads the webhook again after a change, with its pause and health. */
async function readBack(trx: Transaction, { id }: WebhookKey): Promise<StoredWebhook> {
  const text = webhooksWithHealth({ columns, ids: 'array[cast(:id as uuid)]' });
  const { rows } = await trx.raw<{ rows: StoredWebhook[] }>(text, { id });
  return rows[0]!;
}

const plainColumns = `id, workspace_id as "workspaceId", external_id as "externalId", name, destination,
  header_names as "headerNames", enabled, enabled_changed_at as "enabledChangedAt",
  retry_on_timeout as "retryOnTimeout",
  ${optionColumns}, version, created_at as "createdAt", updated_at as "updatedAt", last_updated_by as "lastUpdatedBy"`;

const encryptedColumns = `url_encrypted as "urlEncrypted", headers_encrypted as "headersEncrypted",
  body_encrypted as "bodyEncrypted"`;

const writtenColumns = `${plainColumns}, ${encryptedColumns}`;

// A pause whose end has passed is not shown, although its row remains while single requests probe the destination.
const pauseColumn = `(select jsonb_build_object('reason', p.reason, 'since', p.since, 'until', p.paused_until, 'error', p.error)
   from webhook_pauses p where p.webhook_id = webhooks.id and p.paused_until > now()) as paused`;

const columns = `${writtenColumns}, ${pauseColumn}`;

const bytes = 'octet_length(url_encrypted) + octet_length(headers_encrypted) + octet_length(body_encrypted)';

const findByIds = { name: 'webhooks.find', text: webhooksWithHealth({ columns, ids: '$1::uuid[]' }) };

const keyIds = ['url_encrypted', 'headers_encrypted', 'body_encrypted'].map(keyIdSql).join(', ');

const findByIdsWithoutSecrets = {
  name: 'webhooks.find_without_secrets',
  text: webhooksWithHealth({
    columns: `${plainColumns}, ${pauseColumn}, not array[${keyIds}] <@ $2::text[] as "keyIsMissing"`,
    ids: '$1::uuid[]',
  }),
};

const sortings: Record<WebhookSort, { expression: string; type: string }> = {
  name: { expression: 'lower(name)', type: 'text' },
  created_at: { expression: 'created_at', type: 'timestamptz' },
  updated_at: { expression: 'updated_at', type: 'timestamptz' },
};

function toRow(webhook: WrittenWebhook) {
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
    enabled_changed_at: webhook.enabledChangedAt,
    retry_on_timeout: webhook.retryOnTimeout,
    ...toOptionRow(webhook),
    version: webhook.version,
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
    last_updated_by: webhook.lastUpdatedBy,
  };
}
