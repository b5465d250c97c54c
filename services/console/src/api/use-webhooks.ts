import { useQuery } from '@tanstack/react-query';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import { usePermission } from './permitted.js';

/**
 * Minimum time between two polls for each webhook of the list, so that the cost of an open page does not grow with the
 * list: 1,000 webhooks are polled every 75 s.
 */
const pollMsPerWebhook = 75;

/**
 * Fetches all webhooks of the workspace (at most 1,000) without their secrets, ordered by name. `pollMs` keeps their
 * states up to date; long lists are polled less often.
 */
export function useWebhooks({ pollMs }: { pollMs?: number } = {}) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const { allowed } = usePermission('workspace_list_webhooks');
  return useQuery({
    queryKey: [workspaceId, 'webhooks'],
    queryFn: ({ signal }) => client.webhooks.list({ sort: 'name', secrets: false }, { signal }).toArray(),
    enabled: allowed,
    refetchInterval: ({ state }) =>
      pollMs === undefined ? false : Math.max(pollMs, (state.data?.length ?? 0) * pollMsPerWebhook),
    staleTime: pollMs === undefined ? 30_000 : 0,
  });
}
