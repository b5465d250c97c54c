import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PatchWorkspaceSettings } from '@tocsin/client/browser';
import { useWorkspaceId } from '../paths.js';
import { changeRead, idsAfter } from './change-read.js';
import { useClient } from './client.js';
import { replaceData } from './replace-data.js';
import { useWorkspaceQuery } from './workspace-query.js';

/** Fetches the settings of the workspace. */
export function useSettings() {
  return useWorkspaceQuery({
    permission: 'workspace_read_settings',
    key: ['settings'],
    fetch: (client, options) => client.settings.get(options),
  });
}

export function useUpdateSettings() {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (changes: PatchWorkspaceSettings) => client.settings.update(changes),
    async onSuccess(saved) {
      await replaceData(queryClient, [workspaceId, 'settings'], saved);
      return queryClient.invalidateQueries({ queryKey: ['workspaces'] });
    },
  });
}

/**
 * Mutation that adds a webhook to the webhooks that receive the notices of the workspace, or removes it. Changes that
 * other users make at the same time are kept.
 */
export function useNoticeWebhook() {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ webhookId, attach }: { webhookId: string; attach: boolean }) =>
      changeRead(
        () => client.settings.get(),
        ({ notice_webhook_ids: ids }, options) => {
          const changes = { notice_webhook_ids: idsAfter(ids, { id: webhookId, attach }) };
          return client.settings.update(changes, options);
        },
      ),
    onSuccess: (saved) => replaceData(queryClient, [workspaceId, 'settings'], saved),
  });
}
