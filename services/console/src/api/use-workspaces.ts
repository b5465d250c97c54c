import { useQuery } from '@tanstack/react-query';
import { useDeploymentClient } from './client.js';

/** The person and their roles. They change with the next token at the earliest. */
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
