import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CreateSigningSecret } from '@tocsin/client/browser';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';

/** The secrets of a webhook that have not expired, without the secrets themselves. Needs `webhook_update`. */
export function useSigningSecrets(webhookId: string) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  return useQuery({
    queryKey: [workspaceId, 'signing-secrets', webhookId],
    queryFn: ({ signal }) => client.webhooks.signingSecrets.list(webhookId, { signal }).toArray(),
  });
}

/** Creates and deletes signing secrets. */
export function useSigningSecretActions(webhookId: string) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const queryClient = useQueryClient();
  const onSettled = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: [workspaceId, 'signing-secrets', webhookId] }),
      queryClient.invalidateQueries({ queryKey: [workspaceId, 'webhook', webhookId] }),
    ]);
  return {
    /** The result is the only place that holds the secret. It is dropped with the component that shows it. */
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
