import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useDeploymentClient } from './client.js';
import { useLiveList } from './live-list.js';

/** Messages of all workspaces that could not be processed. */
export function useDeadLetters() {
  const client = useDeploymentClient();
  return useLiveList({
    queryKey: ['dead-letters'],
    list: (part, signal) => client.deadLetters.list(part, { signal }),
    toItem: (letter) => letter,
    idOf: ({ id }) => id,
    timeOf: ({ created_at }) => created_at,
    isOpen: () => false,
    pollMs: 30_000,
  });
}

export function useRequeueDeadLetter() {
  const client = useDeploymentClient();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => client.deadLetters.requeue(id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['dead-letters'] }),
  });
}
