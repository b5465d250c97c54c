import { type QueryKey, type UseQueryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CallOptions, Paged, PlatformClient } from '@tocsin/client/browser';
import type { Permission } from '@tocsin/identity/browser';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import type { ListPart } from './list-data.js';
import { type LiveListOptions, refreshLists, useLiveList } from './live-list.js';
import { usePermission } from './permitted.js';
import { replaceData } from './replace-data.js';

export interface WorkspaceQuery<T> extends Pick<UseQueryOptions<T>, 'refetchInterval' | 'staleTime'> {
  permission: Permission;
  /** Query key without the workspace id. */
  key: QueryKey;
  fetch(client: PlatformClient, options: CallOptions): Promise<T>;
}

/** Fetches data of the workspace in the address. No request is sent if the user lacks the permission. */
export function useWorkspaceQuery<T>({ permission, key, fetch, ...options }: WorkspaceQuery<T>) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  const { allowed } = usePermission(permission);
  return useQuery({
    queryKey: [workspaceId, ...key],
    queryFn: ({ signal }) => fetch(client, { signal }),
    enabled: allowed,
    ...options,
  });
}

export interface WorkspaceList<Filter, Entry, T>
  extends Omit<LiveListOptions<Entry, T>, 'queryKey' | 'since' | 'list'> {
  /** Name of the list. It follows the workspace id in the query key. */
  name: string;
  filter: Filter;
  list(client: PlatformClient, query: Filter & ListPart, options?: CallOptions): Paged<Entry>;
}

/** Fetches and polls a list of the workspace in the address: the entries that match a filter, newest first. */
export function useWorkspaceList<Filter extends { since?: string | undefined }, Entry, T>({
  name,
  filter,
  list,
  ...options
}: WorkspaceList<Filter, Entry, T>) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  return useLiveList({
    queryKey: [workspaceId, name, filter],
    list: (part, callOptions) => list(client, { ...filter, ...part }, callOptions),
    since: filter.since,
    ...options,
  });
}

/**
 * Returns functions that change the cached data of the workspace in the address. They add the workspace id to the given
 * query keys.
 */
export function useWorkspaceCache() {
  const workspaceId = useWorkspaceId();
  const queryClient = useQueryClient();
  const invalidate = (...keys: QueryKey[]) =>
    Promise.all(keys.map((key) => queryClient.invalidateQueries({ queryKey: [workspaceId, ...key] })));
  return {
    /** Fetches again all data whose query keys start with one of the given keys. */
    invalidate,
    /** Fetches the newest page again, for each live list whose query key starts with this key. */
    refreshLists: (key: QueryKey) => refreshLists(queryClient, [workspaceId, ...key]),
    /**
     * Returns a success handler for mutations. It stores the record in the response in the cache under the key
     * `record`, and fetches the list with the key `list` again.
     */
    replaceSaved: (record: string, list: string) => async (saved: { id: string }) => {
      await replaceData(queryClient, [workspaceId, record, saved.id], saved);
      return invalidate([list]);
    },
  };
}
