import { useMutation, useQuery } from '@tanstack/react-query';
import type { CreateSigningSecret } from '@tocsin/client/browser';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import { useWorkspaceCache } from './workspace-query.js';

/**
 * Fetches the signing secrets of a webhook, without their values and without expired ones. Requires `webhook_update`.
 */
export function useSigningSecrets(webhookId: string) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  return useQuery({
    queryKey: [workspaceId, 'signing-secrets', webhookId],
    queryFn: ({ signal }) => client.webhooks.signingSecrets.list(webhookId, { signal }).toArray(),
  });
}

/** Mutations that create and delete signing secrets. */
export function useSigningSecretActions(webhookId: string) {
  const client = useClient();
  const cache = useWorkspaceCache();
  const onSettled = () => cache.invalidate(['signing-secrets', webhookId], ['webhook', webhookId]);
  return {
    /** With `gcTime: 0`, the new secret is removed from the cache when the component that shows it is unmounted. */
    create: useMutation({
      mutationFn: (options: CreateSigningSecret) => client.webhooks.signingSecrets.create(webhookId, options),
      gcTime: 0,
      onSettled,
    }),
    remove: useMutation({
      mutationFn: (id: string) => client.webhooks.signingSecrets.delete(webhookId, id),
      onSettled,
    }),
  };
}
