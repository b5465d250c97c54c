import { useQuery } from '@tanstack/react-query';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import { usePermission } from './permitted.js';

/**
 * Minimum interval of polls for each webhook of the list, in milliseconds: 1,000 webhooks are polled every 100 s. The
 * cost of an open page therefore does not grow with the list.
 */
const pollMsPerWebhook = 100;

/**
 * Fetches all webhooks of the workspace (at most 1,000 by default) without their secrets, ordered by name. `pollMs`
 * sets the interval of polls, which update the states. Long lists are polled less often.
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
