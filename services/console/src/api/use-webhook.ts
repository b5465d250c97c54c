import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  type CreateWebhook,
  type PatchWebhook,
  PreconditionFailedError,
  type Tagged,
  type TestWebhook,
  type Webhook,
} from '@tocsin/client/browser';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import { usePermission } from './permitted.js';

export function useWebhook(id: string, { pollMs }: { pollMs?: number } = {}) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const { allowed } = usePermission('webhook_read');
  return useQuery({
    queryKey: [workspaceId, 'webhook', id],
    queryFn: ({ signal }) => client.webhooks.get(id, { signal }),
    enabled: allowed,
    refetchInterval: pollMs ?? false,
  });
}

/** Another user changed the webhook after it was loaded. `current` is the version on the server. */
export class ChangedMeanwhileError extends Error {
  readonly current: Tagged<Webhook>;

  constructor(current: Tagged<Webhook>) {
    super('Somebody else changed this webhook while you were editing it.');
    this.name = 'ChangedMeanwhileError';
    this.current = current;
  }
}

export interface WebhookUpdate {
  id: string;
  changes: PatchWebhook;
  /** ETag of the version that was edited. If the server has another version, `ChangedMeanwhileError` is thrown. */
  seen?: string;
}

/**
 * Mutations of webhooks. After each one, the list is fetched again. The saved webhook of the response replaces the
 * cached webhook.
 */
export function useWebhookActions() {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const queryClient = useQueryClient();
  const onSuccess = (saved: Webhook) => {
    queryClient.setQueryData([workspaceId, 'webhook', saved.id], saved);
    return queryClient.invalidateQueries({ queryKey: [workspaceId, 'webhooks'] });
  };
  return {
    create: useMutation({
      mutationFn: (webhook: CreateWebhook) => client.webhooks.create(webhook),
      onSuccess,
    }),
    update: useMutation({
      async mutationFn({ id, changes, seen }: WebhookUpdate) {
        try {
          return await client.webhooks.update(id, changes, { ifMatch: seen });
        } catch (error) {
          if (!(error instanceof PreconditionFailedError)) throw error;
          throw new ChangedMeanwhileError(await client.webhooks.get(id));
        }
      },
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: ({ id, force }: { id: string; force: boolean }) => client.webhooks.delete(id, { force }),
      onSuccess: () =>
        Promise.all([
          queryClient.invalidateQueries({ queryKey: [workspaceId, 'webhooks'] }),
          queryClient.invalidateQueries({ queryKey: [workspaceId, 'alert-rules'] }),
        ]),
    }),
  };
}

/** Sends a rendered body to a destination as a test. */
export function useSendTest() {
  const client = useClient();
  return useMutation({ mutationFn: (request: TestWebhook) => client.webhooks.test(request) });
}

/** Renders the template of a saved webhook with sample values, or with the values of a past alert, and sends it. */
export function useSendSavedTest(id: string) {
  const client = useClient();
  return useMutation({
    mutationFn: (alertId: string | undefined) => client.webhooks.testSaved(id, { alert_id: alertId }),
  });
}
