import type { Database, Transaction } from '@tocsin/database';
import type { StoredWebhook } from './stored-webhook.js';

export const webhookSorts = ['name', 'created_at', 'updated_at'] as const;
type WebhookSort = (typeof webhookSorts)[number];

/** A place in a list, without what makes a webhook large. */
export interface ListedWebhook {
  id: string;
  name: string;
  createdAt: Date;
  updatedAt: Date;
  /** Size of the encrypted values. */
  bytes: number;
}

interface WebhookQuery {
  workspaceId: string;
  /** Part of the name, in any case. */
  name: string | undefined;
  sort: WebhookSort;
  order: 'asc' | 'desc';
  /** Value of `sort` and id of the row after which to begin. */
  after: string[] | undefined;
  /** Rows at the most; all of them where it is not given. */
  limit: number | undefined;
}

export interface RuleName {
  id: string;
  name: string;
}

interface WebhookChange {
  webhook: StoredWebhook;
  /** Whether requests are made differently from now on: what the destination asked for, or failed at, is void. */
  sendsDifferently: boolean;
}

type DeleteOutcome = { kind: 'deleted' } | { kind: 'missing' } | { kind: 'in_use'; rules: RuleName[] };

export interface WebhooksRepository {
  find(id: string): Promise<StoredWebhook | undefined>;
  list(query: WebhookQuery): Promise<ListedWebhook[]>;
  /** In the order of `ids`; those that are gone are left out. */
  findAll(ids: readonly string[]): Promise<StoredWebhook[]>;
  /** False, and nothing stored, where the workspace holds `maxPerWorkspace` already. */
  create(webhook: StoredWebhook, maxPerWorkspace: number): Promise<boolean>;
  /** Writes what `change` makes of the row, which is locked meanwhile; undefined where there is none. */
  update(id: string, change: (current: StoredWebhook) => WebhookChange): Promise<StoredWebhook | undefined>;
  /** With `detach`, also takes it from the rules that use it. */
  delete(id: string, options: { detach: boolean }): Promise<DeleteOutcome>;
}

export function createWebhooksRepository(database: Database): WebhooksRepository {
  const { knex } = database;
  return {
    async find(id) {
      const [row] = await database.prepared<WebhookRow>(findById, [id]);
      return row && toWebhook(row);
    },

    async list({ workspaceId, name, sort, order, after, limit }) {
      const { expression, parameter } = sortings[sort];
      const { rows } = await knex.raw<{ rows: ListedRow[] }>(
        `select id, name, created_at, updated_at,
           octet_length(url_encrypted) + octet_length(headers_encrypted) + octet_length(body_encrypted) as bytes
         from webhooks
         where workspace_id = ?
           ${name === undefined ? '' : 'and position(lower(?) in lower(name)) > 0'}
           ${after === undefined ? '' : `and (${expression}, id) ${order === 'asc' ? '>' : '<'} (${parameter}, ?::uuid)`}
         order by ${expression} ${order}, id ${order}
         ${limit === undefined ? '' : 'limit ?'}`,
        [
          workspaceId,
          ...(name === undefined ? [] : [name]),
          ...(after ?? []),
          ...(limit === undefined ? [] : [limit]),
        ],
      );
      return rows.map(toListed);
    },

    async findAll(ids) {
      const rows = await database.prepared<WebhookRow>(findAll, [ids]);
      const byId = new Map(rows.map((row) => [row.id, toWebhook(row)]));
      return ids.map((id) => byId.get(id)).filter((webhook) => webhook !== undefined);
    },

    create: (webhook, maxPerWorkspace) =>
      knex.transaction(async (trx) => {
        // Counting and inserting take turns in a workspace, or two requests would both see the last free place.
        await trx.raw(`select pg_advisory_xact_lock(hashtextextended('webhooks/' || ?, 0))`, [
          webhook.workspaceId,
        ]);
        const counted = await trx.raw('select count(*)::int as count from webhooks where workspace_id = ?', [
          webhook.workspaceId,
        ]);
        if (counted.rows[0].count >= maxPerWorkspace) return false;
        await trx('webhooks').insert(toRow(webhook));
        return true;
      }),

    update: (id, change) =>
      knex.transaction(async (trx) => {
        const { rows } = await trx.raw<{ rows: WebhookRow[] }>(
          `select ${columns} from webhooks where id = ? for update`,
          [id],
        );
        if (rows[0] === undefined) return undefined;
        const before = toWebhook(rows[0]);
        const { webhook, sendsDifferently } = change(before);
        await trx('webhooks').where({ id }).update(toRow(webhook));
        if (sendsDifferently) await trx('webhook_pauses').where({ webhook_id: id }).delete();
        if (before.enabled && !webhook.enabled) await bringForward(trx, webhook);
        else if (sendsDifferently) await bringForward(trx, webhook, { untriedOnly: true });
        return webhook;
      }),

    delete: (id, { detach }) =>
      knex.transaction(async (trx): Promise<DeleteOutcome> => {
        // Keeps rules from attaching it meanwhile: their foreign key needs a share of this lock.
        const locked = await trx.raw<{ rows: { workspace_id: string }[] }>(
          'select workspace_id from webhooks where id = ? for update',
          [id],
        );
        if (locked.rows[0] === undefined) return { kind: 'missing' };
        const attached = await trx.raw<{ rows: RuleName[] }>(
          `select r.id, r.name from alert_rule_webhooks a join alert_rules r on r.id = a.alert_rule_id
           where a.webhook_id = ? and r.deleted_at is null order by r.name, r.id`,
          [id],
        );
        if (attached.rows.length > 0 && !detach) return { kind: 'in_use', rules: attached.rows };
        await trx('alert_rule_webhooks').where({ webhook_id: id }).delete();
        await trx('webhook_pauses').where({ webhook_id: id }).delete();
        await trx('webhooks').where({ id }).delete();
        await bringForward(trx, { id, workspaceId: locked.rows[0].workspace_id });
        return { kind: 'deleted' };
      }),
  };
}

// Enough for what a webhook owes on any usual day, and a fraction of a second. What is beyond ends at its own time.
const maxBroughtForward = 10_000;

/**
 * Makes what waits due now. Of a webhook that is gone or disabled that is all: it ends now, not in an hour. Else only
 * what was held back and never tried; retries keep to their schedule. Rows that a worker or a caller has locked are
 * passed over, for they look at the webhook themselves.
 */
async function bringForward(
  trx: Transaction,
  { id, workspaceId }: Pick<StoredWebhook, 'id' | 'workspaceId'>,
  { untriedOnly = false } = {},
): Promise<void> {
  await trx.raw(
    `update open_deliveries o set due_at = now()
     from (select delivery_id from open_deliveries
           where state = 'waiting' and workspace_id = ? and webhook_id = ? and due_at > now()
             ${untriedOnly ? 'and step = 0' : ''}
           limit ? for update skip locked) later
     where o.delivery_id = later.delivery_id`,
    [workspaceId, id, maxBroughtForward],
  );
}

const columns = `id, workspace_id, name, url_encrypted, headers_encrypted, body_encrypted, destination, header_names,
  enabled, retry_on_timeout, version, created_at, updated_at, last_updated_by`;

const findById = { name: 'webhooks.find', text: `select ${columns} from webhooks where id = $1` };

const findAll = {
  name: 'webhooks.find_all',
  text: `select ${columns} from webhooks where id = any($1::uuid[])`,
};

const sortings: Record<WebhookSort, { expression: string; parameter: string }> = {
  name: { expression: 'lower(name)', parameter: 'lower(?)' },
  created_at: { expression: 'created_at', parameter: '?::timestamptz' },
  updated_at: { expression: 'updated_at', parameter: '?::timestamptz' },
};

type ListedRow = Pick<WebhookRow, 'id' | 'name' | 'created_at' | 'updated_at'> & { bytes: number };

interface WebhookRow {
  id: string;
  workspace_id: string;
  name: string;
  url_encrypted: Buffer;
  headers_encrypted: Buffer;
  body_encrypted: Buffer;
  destination: string;
  header_names: string[];
  enabled: boolean;
  retry_on_timeout: boolean;
  version: number;
  created_at: Date;
  updated_at: Date;
  last_updated_by: string;
}

function toListed(row: ListedRow): ListedWebhook {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    bytes: row.bytes,
  };
}

function toWebhook(row: WebhookRow): StoredWebhook {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    encrypted: { url: row.url_encrypted, headers: row.headers_encrypted, body: row.body_encrypted },
    destination: row.destination,
    headerNames: row.header_names,
    enabled: row.enabled,
    retryOnTimeout: row.retry_on_timeout,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastUpdatedBy: row.last_updated_by,
  };
}

function toRow(webhook: StoredWebhook): WebhookRow {
  return {
    id: webhook.id,
    workspace_id: webhook.workspaceId,
    name: webhook.name,
    url_encrypted: webhook.encrypted.url,
    headers_encrypted: webhook.encrypted.headers,
    body_encrypted: webhook.encrypted.body,
    destination: webhook.destination,
    header_names: webhook.headerNames,
    enabled: webhook.enabled,
    retry_on_timeout: webhook.retryOnTimeout,
    version: webhook.version,
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
    last_updated_by: webhook.lastUpdatedBy,
  };
}
