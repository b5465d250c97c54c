import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
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
  /** True after the first response since the page was opened. */
  const hasPolled = useRef(false);
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      // Polls of many users share their responses. The first request after the page was opened does not, nor one after
      // a change by this user, because it must show what has just happened.
      const isInvalidated = queryClient.getQueryState(queryKey)?.isInvalidated;
      const maxAgeSeconds = hasPolled.current && isInvalidated === false ? sharedSeconds : undefined;
      const list = client.webhooks.list({ sort: 'name', secrets: false }, { signal, maxAgeSeconds });
      const webhooks = await list.toArray();
      hasPolled.current = true;
      return webhooks;
    },
    enabled: allowed,
    refetchInterval: pollMs ?? false,
    staleTime: pollMs === undefined ? 30_000 : 0,
  });
}
