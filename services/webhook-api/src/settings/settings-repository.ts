import type { Database } from '@tocsin/database';

export interface StoredSettings {
  name: string | null;
  noticeWebhookIds: string[];
}

const defaultSettings: StoredSettings = { name: null, noticeWebhookIds: [] };

interface SettingsChange {
  workspaceId: string;
  name: string | null | undefined;
  noticeWebhookIds: string[] | undefined;
  by: string;
}

type WriteOutcome =
  | { kind: 'written'; settings: StoredSettings }
  /** Ids of webhooks that are not in the workspace; nothing is written. */
  | { kind: 'unknown_webhooks'; ids: string[] };

export interface SettingsRepository {
  /** The defaults for a workspace that never had settings. */
  find(workspaceId: string): Promise<StoredSettings>;
  /** Writes the fields that are given. */
  update(change: SettingsChange): Promise<WriteOutcome>;
}

export function createSettingsRepository({ knex }: Database): SettingsRepository {
  const columns = ['name', 'notice_webhook_ids as noticeWebhookIds'] as const;
  return {
    async find(workspaceId) {
      const settings = await knex('workspace_settings')
        .select(columns)
        .where({ workspace_id: workspaceId })
        .first();
      return settings ?? defaultSettings;
    },

    update: ({ workspaceId, name, noticeWebhookIds, by }) =>
      knex.transaction(async (trx): Promise<WriteOutcome> => {
        const ids = noticeWebhookIds ?? [];
        // The webhooks are locked, so that none is deleted before the commit.
        const known = await trx('webhooks')
          .select('id')
          .where({ workspace_id: workspaceId })
          .whereIn('id', ids)
          .orderBy('id')
          .forKeyShare();
        const unknown = ids.filter((id) => !known.some((webhook) => webhook.id === id));
        if (unknown.length > 0) return { kind: 'unknown_webhooks', ids: unknown };
        const { rows } = await trx.raw<{ rows: StoredSettings[] }>(
          `insert into workspace_settings as s (workspace_id, name, notice_webhook_ids, updated_at, last_updated_by)
           values (:workspaceId, :name, cast(:ids as uuid[]), now(), :by)
           on conflict (workspace_id) do update
           set name = case when :hasName then excluded.name else s.name end,
               notice_webhook_ids = case when :hasIds then excluded.notice_webhook_ids else s.notice_webhook_ids end,
               version = s.version + 1, updated_at = excluded.updated_at, last_updated_by = excluded.last_updated_by
           returning name, cast(notice_webhook_ids as text[]) as "noticeWebhookIds"`,
          {
            workspaceId,
            name: name ?? null,
            ids,
            by,
            hasName: name !== undefined,
            hasIds: noticeWebhookIds !== undefined,
          },
        );
        return { kind: 'written', settings: rows[0]! };
      }),
  };
}
