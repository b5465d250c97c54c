import { useQueryClient } from '@tanstack/react-query';
import { useWorkspaceId } from '../paths.js';
import { useSharedPolls } from './shared-polls.js';
import { useWorkspaceQuery } from './workspace-query.js';

/** Maximum age of a shared response that a poll accepts, in seconds. */
const sharedSeconds = 5;
const key = ['webhooks'];

/**
 * Fetches all webhooks of the workspace (at most 1,000 by default) without their secrets, ordered by name. `pollMs`
 * sets the interval of polls, which update the states.
 */
export function useWebhooks({ pollMs }: { pollMs?: number } = {}) {
  const workspaceId = useWorkspaceId();
  const queryClient = useQueryClient();
  const poll = useSharedPolls(sharedSeconds);
  return useWorkspaceQuery({
    permission: 'workspace_list_webhooks',
    key,
    fetch(client, options) {
      // The list is invalidated after a change by this user.
      const mayShare = queryClient.getQueryState([workspaceId, ...key])?.isInvalidated === false;
      return poll({ mayShare }, (maxAgeSeconds) =>
        client.webhooks.list({ sort: 'name', secrets: false }, { ...options, maxAgeSeconds }).toArray(),
      );
    },
    refetchInterval: pollMs ?? false,
    staleTime: pollMs === undefined ? 30_000 : 0,
  });
}
