import { useMutation } from '@tanstack/react-query';
import type { CreateWebhook, PatchWebhook, TestWebhook } from '@tocsin/client/browser';
import { changeEdited } from './change-read.js';
import { useClient } from './client.js';
import { useWorkspaceCache, useWorkspaceQuery } from './workspace-query.js';

export function useWebhook(id: string, { pollMs }: { pollMs?: number } = {}) {
  return useWorkspaceQuery({
    permission: 'webhook_read',
    key: ['webhook', id],
    fetch: (client, options) => client.webhooks.get(id, options),
    refetchInterval: pollMs ?? false,
  });
}

export interface WebhookUpdate {
  id: string;
  changes: PatchWebhook;
  /** ETag of the version that was edited. If the server has another version, `ChangedMeanwhileError` is thrown. */
  seen?: string;
}

/**
 * Mutations of webhooks. After each mutation, the list of webhooks is fetched again. After `create` and `update`, the
 * webhook in the response replaces the cached webhook.
 */
export function useWebhookActions() {
  const client = useClient();
  const cache = useWorkspaceCache();
  const onSuccess = cache.replaceSaved('webhook', 'webhooks');
  return {
    create: useMutation({
      mutationFn: (webhook: CreateWebhook) => client.webhooks.create(webhook),
      onSuccess,
    }),
    update: useMutation({
      mutationFn: ({ id, changes, seen }: WebhookUpdate) =>
        changeEdited(
          'webhook',
          () => client.webhooks.update(id, changes, { ifMatch: seen }),
          () => client.webhooks.get(id),
        ),
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: ({ id, force }: { id: string; force: boolean }) => client.webhooks.delete(id, { force }),
      onSuccess: () => cache.invalidate(['webhooks'], ['alert-rules']),
    }),
  };
}

/** Mutation that sends a rendered body to a destination as a test, without a saved webhook. */
export function useSendTest() {
  const client = useClient();
  return useMutation({ mutationFn: (request: TestWebhook) => client.webhooks.test(request) });
}

/**
 * Mutation that renders the template of a saved webhook with sample values, or with the values of a past alert, and
 * sends the rendered body to the destination.
 */
export function useSendSavedTest(id: string) {
  const client = useClient();
  return useMutation({
    mutationFn: (alertId: string | undefined) => client.webhooks.testSaved(id, { alert_id: alertId }),
  });
}
