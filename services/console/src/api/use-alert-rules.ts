import { useQuery } from '@tanstack/react-query';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import { usePermission } from './permitted.js';

/** Fetches all alert rules of the workspace, at most 10,000 by default. */
export function useAlertRules() {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const { allowed } = usePermission('workspace_list_alert_rules');
  return useQuery({
    queryKey: [workspaceId, 'alert-rules'],
    queryFn: ({ signal }) => client.alertRules.list(undefined, { signal }).toArray(),
    enabled: allowed,
    staleTime: 30_000,
  });
}
