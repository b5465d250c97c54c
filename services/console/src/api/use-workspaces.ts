import { useQuery } from '@tanstack/react-query';
import { useDeploymentClient } from './client.js';

/** The signed-in person and their roles. Roles are claims of the access token, so they change only with a new token. */
export function useWhoami() {
  const client = useDeploymentClient();
  return useQuery({
    queryKey: ['whoami'],
    queryFn: ({ signal }) => client.whoami({ signal }),
    staleTime: 5 * 60_000,
  });
}

/** Workspaces that the person has a role in. */
export function useWorkspaces() {
  const client = useDeploymentClient();
  return useQuery({
    queryKey: ['workspaces'],
    queryFn: ({ signal }) => client.workspaces.list(undefined, { signal }).toArray(),
    staleTime: 60_000,
  });
}
