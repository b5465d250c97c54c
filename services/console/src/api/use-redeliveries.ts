import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CreateRedelivery, Redelivery } from '@tocsin/client/browser';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import { nextPage, refreshLists } from './live-list.js';

/** The latest redelivery jobs. While one is running, they are polled every second, and the deliveries are read again. */
export function useRedeliveries({ enabled }: { enabled: boolean }) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const queryClient = useQueryClient();
  const queryKey = [workspaceId, 'redeliveries'];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const before = queryClient.getQueryData<Redelivery[]>(queryKey);
      const pages = client.redeliveries.list({ limit: 10 }, { signal }).pages()[Symbol.asyncIterator]();
      const jobs = await nextPage(pages);
      if (isRunning(before) || isRunning(jobs)) void refreshLists(queryClient, [workspaceId, 'deliveries']);
      return jobs;
    },
    enabled,
    refetchInterval: ({ state }) => (isRunning(state.data) ? 1_000 : false),
  });
}

function isRunning(jobs: readonly Redelivery[] = []): boolean {
  return jobs.some(({ status }) => status === 'running');
}

/** Starts and cancels redelivery jobs. */
export function useRedeliveryActions() {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const queryClient = useQueryClient();
  const onSettled = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: [workspaceId, 'redeliveries'] }),
      refreshLists(queryClient, [workspaceId, 'deliveries']),
    ]);
  return {
    start: useMutation({
      mutationFn: (filter: CreateRedelivery) => client.redeliveries.create(filter),
      onSettled,
    }),
    cancel: useMutation({ mutationFn: (id: string) => client.redeliveries.cancel(id), onSettled }),
  };
}
