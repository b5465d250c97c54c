import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type {
  CreateCancellation,
  CreateDispatch,
  CreateRedelivery,
  JobsApi,
  PlatformClient,
  Redelivery,
} from '@tocsin/client/browser';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import { pollLists, refreshLists } from './live-list.js';
import { useWorkspaceCache } from './workspace-query.js';

/** Kinds of jobs, each with the type of its request. */
export interface JobFilters {
  redeliveries: CreateRedelivery;
  dispatches: CreateDispatch;
  cancellations: CreateCancellation;
}
export type JobKind = keyof JobFilters;

/** The members of a job that the console shows. Jobs of all kinds have these members. */
export type Job = Pick<Redelivery, 'id' | 'matched' | 'done' | 'status' | 'created_at'>;

/**
 * For each kind of job, the list whose entries such a job changes. The value is the part of the list's query key after
 * the workspace id.
 */
const changedList: Readonly<Record<JobKind, string>> = {
  redeliveries: 'deliveries',
  dispatches: 'alerts',
  cancellations: 'deliveries',
};

/**
 * Fetches the latest 10 jobs of a kind. While one of them runs, polls the jobs every second. Each poll also polls
 * the list whose entries the jobs change. After the last job has ended, the newest page of the list is fetched again.
 */
export function useJobs(kind: JobKind) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const queryClient = useQueryClient();
  const queryKey = [workspaceId, kind];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const before = queryClient.getQueryData<Job[]>(queryKey);
      const { items: jobs } = await jobsOf(client, kind).list({ limit: 10 }, { signal }).firstPage();
      const list = [workspaceId, changedList[kind]];
      if (isRunning(jobs)) void pollLists(queryClient, list);
      else if (isRunning(before)) void refreshLists(queryClient, list);
      return jobs;
    },
    refetchInterval: ({ state }) => (isRunning(state.data) ? 1_000 : false),
  });
}

/** Mutations that start and cancel jobs. */
export function useJobActions<Kind extends JobKind>(kind: Kind) {
  const client = useClient();
  const cache = useWorkspaceCache();
  const onSettled = () => Promise.all([cache.invalidate([kind]), cache.refreshLists([changedList[kind]])]);
  return {
    start: useMutation({
      mutationFn: (filter: JobFilters[Kind]) => jobsOf(client, kind).create(filter),
      onSettled,
    }),
    cancel: useMutation({ mutationFn: (id: string) => jobsOf(client, kind).cancel(id), onSettled }),
  };
}

function jobsOf<Kind extends JobKind>(client: PlatformClient, kind: Kind): JobsApi<JobFilters[Kind], Job> {
  const apis: { [Name in JobKind]: JobsApi<JobFilters[Name], Job> } = client;
  return apis[kind];
}

function isRunning(jobs: readonly Job[] = []): boolean {
  return jobs.some(({ status }) => status === 'running');
}
