import { useMutation } from '@tanstack/react-query';
import {
  type CreateWebhook,
  type PatchWebhook,
  PreconditionFailedError,
  type Tagged,
  type TestWebhook,
  type Webhook,
} from '@tocsin/client/browser';
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

/**
 * Error: the webhook was changed after it was loaded, for example by another user. `current` is the version on the
 * server.
 */
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
