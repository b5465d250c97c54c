import { useQuery } from '@tanstack/react-query';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import { usePermission } from './permitted.js';

/**
 * Fetches all webhooks of the workspace (at most 1,000) without their secrets, ordered by name. `pollMs` keeps their
 * states up to date.
 */
export function useWebhooks({ pollMs }: { pollMs?: number } = {}) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const { allowed } = usePermission('workspace_list_webhooks');
  return useQuery({
    queryKey: [workspaceId, 'webhooks'],
    queryFn: ({ signal }) => client.webhooks.list({ sort: 'name', secrets: false }, { signal }).toArray(),
    enabled: allowed,
    refetchInterval: pollMs ?? false,
    staleTime: pollMs === undefined ? 30_000 : 0,
  });
}
