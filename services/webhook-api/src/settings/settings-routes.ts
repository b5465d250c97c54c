import { patchWorkspaceSettingsSchema, workspaceSettingsSchema } from '@tocsin/contracts';
import { defineRoute, type Principal } from '@tocsin/identity';
import { type FieldError, invalidBody, isUuid, type Route } from '@tocsin/kit';
import { type ApiDeps, apiPrefix, inWorkspace, workspaceParams } from '../api-route.js';
import { changeOf, etagDescription, etagHeader } from '../change.js';
import { createSettingsRepository, type StoredSettings, writableFields } from './settings-repository.js';

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
      responses: {
        200: { description: 'The settings.', schema: workspaceSettingsSchema, headers: etagDescription },
      },
      handler: async ({ resource: { workspaceId } }) => respondWith(await repository.find(workspaceId)),
    }),
    defineRoute({
      method: 'PATCH',
      path,
      operationId: 'updateWorkspaceSettings',
      summary: 'Changes settings of a workspace.',
      description: 'A request that changes no value does not change the ETag.',
      tag,
      access: inWorkspace('workspace_update_settings'),
      params: workspaceParams,
      body: patchWorkspaceSettingsSchema,
      async furtherErrors({ notice_webhook_ids: given }, { workspaceId }) {
        if (!Array.isArray(given) || !given.every(isUuid)) return [];
        const ids = lowerCaseIds(given);
        if (ids.length > maxNoticeWebhooks) return [tooManyWebhooks(ids)];
        const unknown = await repository.findUnknownWebhooks(workspaceId, ids);
        return unknown.length === 0 ? [] : [unknownWebhooks(unknown)];
      },
      responses: {
        200: { description: 'All settings.', schema: workspaceSettingsSchema, headers: etagDescription },
      },
      conditional: true,
      async handler({ resource: { workspaceId }, body: { name, notice_webhook_ids: ids }, ...request }) {
        const fields = { name, noticeWebhookIds: ids && toWebhookIds(ids) };
        const outcome = await repository.update(workspaceId, fields, changeOf(request));
        if (outcome.kind === 'unknown_webhooks') throw invalidBody([unknownWebhooks(outcome.ids)]);
        return respondWith(outcome.settings);
      },
    }),
  ];
}

function toWebhookIds(given: readonly string[]): string[] {
  const ids = lowerCaseIds(given);
  if (ids.length > maxNoticeWebhooks) throw invalidBody([tooManyWebhooks(ids)]);
  return ids;
}

function lowerCaseIds(given: readonly string[]): string[] {
  return [...new Set(given.map((id) => id.toLowerCase()))];
}

const webhooksPath = '/notice_webhook_ids';

function tooManyWebhooks({ length }: string[]): FieldError {
  return {
    path: webhooksPath,
    message: `must name at most ${maxNoticeWebhooks} webhooks, and names ${length}`,
  };
}

function unknownWebhooks(ids: string[]): FieldError {
  return {
    path: webhooksPath,
    message: `must name webhooks of this workspace; unknown in it: ${ids.join(', ')}`,
  };
}

function respondWith(settings: StoredSettings) {
  return { status: 200, headers: etagHeader(settings), body: writableFields(settings) } as const;
}
