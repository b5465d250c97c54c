import { useQueryClient } from '@tanstack/react-query';
import { useWorkspaceId } from '../paths.js';
import { useSharedPolls } from './shared-polls.js';
import { useWorkspaceQuery } from './workspace-query.js';

/** Maximum age of a response to another user that a poll accepts instead of a new one, in seconds. */
const sharedSeconds = 5;
const key = ['webhooks'];

/**
 * Fetches all webhooks of the workspace without their secrets, ordered by name (at most 1,000 with the default of
 * `WEBHOOKS_PER_WORKSPACE`). If `pollMs` is set, the list is polled at this interval in milliseconds, so that the shown
 * states stay current.
 */
export function useWebhooks({ pollMs }: { pollMs?: number } = {}) {
  const workspaceId = useWorkspaceId();
  const queryClient = useQueryClient();
  const poll = useSharedPolls(sharedSeconds);
  return useWorkspaceQuery({
    permission: 'workspace_list_webhooks',
    key,
    fetch(client, options) {
      // A change by this user invalidates the list. The next request then accepts no shared response, because an older
      // response may not contain the change.
      const mayShare = queryClient.getQueryState([workspaceId, ...key])?.isInvalidated === false;
      return poll({ mayShare }, (maxAgeSeconds) =>
        client.webhooks.list({ sort: 'name', secrets: false }, { ...options, maxAgeSeconds }).toArray(),
      );
    },
    refetchInterval: pollMs ?? false,
    staleTime: pollMs === undefined ? 30_000 : 0,
  });
}
