import { type Database, lockName, recordChanges, type Transaction } from '@tocsin/database';
import { type ChangeAuthor, changedFields } from '../change.js';
import { findUnknownWebhooks, lockWebhooksAndFindUnknown } from '../webhooks/unknown-webhooks.js';

export interface StoredSettings {
  name: string | null;
  noticeWebhookIds: string[];
  /** Version of the settings: 0 before the first change, and increased by each change. */
  version: number;
}

const defaultSettings: StoredSettings = { name: null, noticeWebhookIds: [], version: 0 };

interface SettingsFields {
  name: string | null | undefined;
  noticeWebhookIds: string[] | undefined;
}

type WriteOutcome =
  | { kind: 'written'; settings: StoredSettings }
  /** Nothing was written, because the workspace has no webhooks with the ids in `ids`. */
  | { kind: 'unknown_webhooks'; ids: string[] };

export interface SettingsRepository {
  /** Returns the settings of a workspace, or the defaults if it has none. */
  find(workspaceId: string): Promise<StoredSettings>;
  /** Returns the ids for which the workspace has no webhook. */
  findUnknownWebhooks(workspaceId: string, ids: string[]): Promise<string[]>;
  /**
   * Writes the given fields whose values differ from the stored values.
   * @throws AppError `precondition_failed` if `If-Match` names another version
   */
  update(workspaceId: string, fields: SettingsFields, author: ChangeAuthor): Promise<WriteOutcome>;
}

export function createSettingsRepository({ knex }: Database): SettingsRepository {
  return {
    async find(workspaceId) {
      const settings = await knex('workspace_settings')
        .select(columns)
        .where({ workspace_id: workspaceId })
        .first();
      return settings ?? defaultSettings;
    },

    findUnknownWebhooks: (workspaceId, ids) => findUnknownWebhooks(knex, workspaceId, ids),

    update: (workspaceId, fields, author) =>
      knex.transaction(async (trx): Promise<WriteOutcome> => {
        const ids = fields.noticeWebhookIds ?? [];
        const unknown = await lockWebhooksAndFindUnknown(trx, workspaceId, ids);
        if (unknown.length > 0) return { kind: 'unknown_webhooks', ids: unknown };
        const current = await lockSettings(trx, workspaceId);
        author.requireVersion(current.version);
        const settings: StoredSettings = {
          name: fields.name === undefined ? current.name : fields.name,
          noticeWebhookIds: fields.noticeWebhookIds ?? current.noticeWebhookIds,
          version: current.version + 1,
        };
        const changed = changedFields(writableFields(current), writableFields(settings));
        if (changed.length === 0) return { kind: 'written', settings: current };
        await trx('workspace_settings')
          .insert({
            workspace_id: workspaceId,
            ...writableFields(settings),
            version: settings.version,
            updated_at: trx.fn.now(),
            last_updated_by: author.principal,
          })
          .onConflict('workspace_id')
          .merge();
        const action = 'workspace_settings.updated';
        await recordChanges(trx, author, [
          { workspaceId, action, resourceId: workspaceId, changedFields: changed },
        ]);
        return { kind: 'written', settings };
      }),
  };
}

const columns = ['name', 'notice_webhook_ids as noticeWebhookIds', 'version'] as const;

/**
 * Locks the settings of a workspace. An advisory lock is used, because a workspace without settings has no row to lock.
 */
async function lockSettings(trx: Transaction, workspaceId: string): Promise<StoredSettings> {
  await lockName(trx, `workspace_settings/${workspaceId}`);
  const [settings]: StoredSettings[] = await trx('workspace_settings')
    .select(columns)
    .where({ workspace_id: workspaceId })
    .forUpdate();
  return settings ?? defaultSettings;
}

/** Returns the writable fields as the API shows them. */
export function writableFields({ name, noticeWebhookIds }: StoredSettings) {
  return { name, notice_webhook_ids: noticeWebhookIds };
}
