import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import { usePermission } from './permitted.js';

/** Accepted age of the response to a poll, in seconds. */
const sharedSeconds = 5;

/**
 * Fetches all webhooks of the workspace (at most 1,000 by default) without their secrets, ordered by name. `pollMs`
 * sets the interval of polls, which update the states.
 */
export function useWebhooks({ pollMs }: { pollMs?: number } = {}) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const { allowed } = usePermission('workspace_list_webhooks');
  const queryClient = useQueryClient();
  const queryKey = [workspaceId, 'webhooks'];
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      // Polls of many users share their responses. A request after a change by this user must show the change.
      const { data, isInvalidated } = queryClient.getQueryState(queryKey) ?? {};
      const maxAgeSeconds = data === undefined || isInvalidated ? undefined : sharedSeconds;
      return client.webhooks.list({ sort: 'name', secrets: false }, { signal, maxAgeSeconds }).toArray();
    },
    enabled: allowed,
    refetchInterval: pollMs ?? false,
    staleTime: pollMs === undefined ? 30_000 : 0,
  });
}
