import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import { refreshLists, useLiveList } from './live-list.js';

/** Fetches and polls the dead letters of the workspace, or all dead letters of the installation. */
export function useDeadLetters(scope: 'workspace' | 'deployment') {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  return useLiveList({
    queryKey: ['dead-letters', scope === 'workspace' ? workspaceId : scope],
    list: (part, options) =>
      scope === 'workspace'
        ? client.deadLetters.listInWorkspace(part, options)
        : client.deadLetters.list(part, options),
    toItem: (letter) => letter,
    idOf: ({ id }) => id,
    timeOf: ({ created_at }) => created_at,
    isOpen: () => false,
    pollMs: 30_000,
  });
}

/**
 * Mutation that publishes the message of a dead letter again. Requires the role `tocsin_admin`, which applies to every
 * workspace.
 */
export function useRequeueDeadLetter() {
  const client = useClient();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => client.deadLetters.requeue(id),
    onSettled: () => refreshLists(queryClient, ['dead-letters']),
  });
}
