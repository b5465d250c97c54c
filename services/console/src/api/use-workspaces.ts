import { useQuery } from '@tanstack/react-query';
import { useDeploymentClient } from './client.js';

/**
 * Fetches the signed-in user with their roles. The access token contains the roles, so they change only with a new
 * token.
 */
export function useWhoami() {
  const client = useDeploymentClient();
  return useQuery({
    queryKey: ['whoami'],
    queryFn: ({ signal }) => client.whoami({ signal }),
    staleTime: 5 * 60_000,
  });
}

/** Fetches the workspaces in which the user has a role. */
export function useWorkspaces() {
  const client = useDeploymentClient();
  return useQuery({
    queryKey: ['workspaces'],
    queryFn: ({ signal }) => client.workspaces.list(undefined, { signal }).toArray(),
    staleTime: 60_000,
  });
}
