import { useQuery } from '@tanstack/react-query';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';

/** All alert rules of the workspace, at most 10,000. */
export function useAlertRules() {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  return useQuery({
    queryKey: [workspaceId, 'alert-rules'],
    queryFn: ({ signal }) => client.alertRules.list(undefined, { signal }).toArray(),
    staleTime: 30_000,
  });
}
