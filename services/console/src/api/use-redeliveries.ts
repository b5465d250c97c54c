import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CreateRedelivery } from '@tocsin/client/browser';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import { nextPage } from './live-list.js';

/** The latest redelivery jobs, polled every second while one is running. */
export function useRedeliveries({ enabled }: { enabled: boolean }) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  return useQuery({
    queryKey: [workspaceId, 'redeliveries'],
    queryFn: ({ signal }) =>
      nextPage(client.redeliveries.list({ limit: 10 }, { signal }).pages()[Symbol.asyncIterator]()),
    enabled,
    refetchInterval: ({ state }) =>
      (state.data ?? []).some(({ status }) => status === 'running') ? 1_000 : false,
  });
}

/** Starts and cancels redelivery jobs. */
export function useRedeliveryActions() {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const queryClient = useQueryClient();
  const onSettled = () => queryClient.invalidateQueries({ queryKey: [workspaceId, 'redeliveries'] });
  return {
    start: useMutation({
      mutationFn: (filter: CreateRedelivery) => client.redeliveries.create(filter),
      onSettled,
    }),
    cancel: useMutation({ mutationFn: (id: string) => client.redeliveries.cancel(id), onSettled }),
  };
}
