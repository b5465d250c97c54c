import {
  patchWorkspaceSettingsSchema,
  type WorkspaceSettings,
  workspaceSettingsSchema,
} from '@tocsin/contracts';
import { defineRoute, type Principal } from '@tocsin/identity';
import { type AppError, invalidBody, type Route } from '@tocsin/kit';
import { type ApiDeps, apiPrefix, inWorkspace, principalName, workspaceParams } from '../api-route.js';
import { createSettingsRepository, type StoredSettings } from './settings-repository.js';

const path = `${apiPrefix}/workspaces/{workspace_id}/settings`;
const tag = 'workspaces';
const maxNoticeWebhooks = 20;

export function settingsRoutes({ database }: Pick<ApiDeps, 'database'>): Route<Principal>[] {
  const repository = createSettingsRepository(database);
  return [
    defineRoute({
      method: 'GET',
      path,
      operationId: 'getWorkspaceSettings',
      summary: 'Reads the settings of a workspace.',
      tag,
      access: inWorkspace('workspace_read_settings'),
      params: workspaceParams,
      responses: { 200: { description: 'The settings.', schema: workspaceSettingsSchema } },
      handler: async ({ resource: { workspaceId } }) => ({
        status: 200,
        body: present(await repository.find(workspaceId)),
      }),
    }),
    defineRoute({
      method: 'PATCH',
      path,
      operationId: 'updateWorkspaceSettings',
      summary: 'Changes settings of a workspace.',
      tag,
      access: inWorkspace('workspace_update_settings'),
      params: workspaceParams,
      body: patchWorkspaceSettingsSchema,
      responses: { 200: { description: 'All settings.', schema: workspaceSettingsSchema } },
      async handler({ resource: { workspaceId }, body: { name, notice_webhook_ids: ids }, principal }) {
        if (name === undefined && ids === undefined)
          return { status: 200, body: present(await repository.find(workspaceId)) };
        const noticeWebhookIds = ids && toWebhookIds(ids);
        const by = principalName(principal);
        const outcome = await repository.update({ workspaceId, name, noticeWebhookIds, by });
        if (outcome.kind === 'unknown_webhooks')
          throw invalidWebhooks(
            `must name webhooks of this workspace; unknown in it: ${outcome.ids.join(', ')}`,
          );
        return { status: 200, body: present(outcome.settings) };
      },
    }),
  ];
}

function toWebhookIds(given: readonly string[]): string[] {
  const ids = [...new Set(given.map((id) => id.toLowerCase()))];
  if (ids.length > maxNoticeWebhooks)
    throw invalidWebhooks(`must name at most ${maxNoticeWebhooks} webhooks, and names ${ids.length}`);
  return ids;
}

function invalidWebhooks(message: string): AppError {
  return invalidBody([{ path: '/notice_webhook_ids', message }]);
}

function present({ name, noticeWebhookIds }: StoredSettings): WorkspaceSettings {
  return { name, notice_webhook_ids: noticeWebhookIds };
}
