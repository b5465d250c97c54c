import { useQuery } from '@tanstack/react-query';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import type { TimeRange } from './time-range.js';

/**
 * The end of the time range is rounded up to a multiple of this time, in milliseconds. Users who poll within this time
 * therefore request the same range and can share a response.
 */
const roundedMs = 5_000;

/**
 * Fetches and polls the numbers and latencies of deliveries for each time step. Each poll computes the start and end
 * again, because the range ends at the present time.
 */
export function useDeliveryStats(range: TimeRange) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  return useQuery({
    queryKey: [workspaceId, 'delivery-stats', range.name],
    queryFn: ({ signal }) => {
      const untilMs = Math.ceil(Date.now() / roundedMs) * roundedMs;
      const since = new Date(untilMs - range.lengthMs).toISOString();
      return client.deliveries.stats(
        { since, until: new Date(untilMs).toISOString(), step: range.step },
        { signal, maxAgeSeconds: roundedMs / 1_000 },
      );
    },
    refetchInterval: 20_000,
  });
}
