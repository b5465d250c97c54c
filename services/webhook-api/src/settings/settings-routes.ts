import { patchWorkspaceSettingsSchema, workspaceSettingsSchema } from '@tocsin/contracts';
import { defineRoute, type Principal } from '@tocsin/identity';
import { invalidBody, type Route } from '@tocsin/kit';
import { type ApiDeps, apiPrefix, inWorkspace, workspaceParams } from '../api-route.js';
import { authorOf, etagDescription, etagHeader } from '../change.js';
import { errorsOfWebhookIds, toWebhookIds, unknownWebhooksError } from '../webhooks/webhook-ids.js';
import { createSettingsRepository, type StoredSettings, writableFields } from './settings-repository.js';

const path = `${apiPrefix}/workspaces/{workspace_id}/settings`;
const tag = 'workspaces';
/** JSON pointer of the field with the ids of the webhooks that receive notices. */
const webhooksPath = '/notice_webhook_ids';

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
      furtherErrors: ({ notice_webhook_ids: given }, { workspaceId }) =>
        errorsOfWebhookIds(given, webhooksPath, (ids) => repository.findUnknownWebhooks(workspaceId, ids)),
      responses: {
        200: { description: 'All settings.', schema: workspaceSettingsSchema, headers: etagDescription },
      },
      conditional: true,
      async handler({ resource: { workspaceId }, body: { name, notice_webhook_ids: ids }, ...request }) {
        const fields = { name, noticeWebhookIds: ids && toWebhookIds(ids, webhooksPath) };
        const outcome = await repository.update(workspaceId, fields, authorOf(request));
        if (outcome.kind === 'unknown_webhooks')
          throw invalidBody([unknownWebhooksError(outcome.ids, webhooksPath)]);
        return respondWith(outcome.settings);
      },
    }),
  ];
}

function respondWith(settings: StoredSettings) {
  return { status: 200, headers: etagHeader(settings), body: writableFields(settings) } as const;
}
