import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { PatchWorkspaceSettings } from '@tocsin/client/browser';
import { useWorkspaceId } from '../paths.js';
import { changeRead } from './change-read.js';
import { useClient } from './client.js';
import { usePermission } from './permitted.js';

/** Fetches the settings of the workspace. */
export function useSettings() {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const { allowed } = usePermission('workspace_read_settings');
  return useQuery({
    queryKey: [workspaceId, 'settings'],
    queryFn: ({ signal }) => client.settings.get({ signal }),
    enabled: allowed,
  });
}

export function useUpdateSettings() {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (changes: PatchWorkspaceSettings) => client.settings.update(changes),
    onSuccess(saved) {
      queryClient.setQueryData([workspaceId, 'settings'], saved);
      return queryClient.invalidateQueries({ queryKey: ['workspaces'] });
    },
  });
}

/**
 * Adds a webhook to the notice webhooks of the workspace, or removes it. Changes that others make at the same time are
 * kept.
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
          const others = ids.filter((id) => id !== webhookId);
          const changes = { notice_webhook_ids: attach ? [...others, webhookId] : others };
          return client.settings.update(changes, options);
        },
      ),
    onSuccess: (saved) => queryClient.setQueryData([workspaceId, 'settings'], saved),
  });
}
