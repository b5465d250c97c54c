import { useQuery } from '@tanstack/react-query';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import type { TimeRange } from './time-range.js';

/**
 * The end of a range is rounded up to a multiple of this time, in milliseconds. Users who poll within this time
 * therefore request the same range and share the response.
 */
const roundedMs = 5_000;

/**
 * Fetches counts and latencies by time step. Each poll computes the time range again, because the range ends at the
 * present time.
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
    placeholderData: (previous) => previous,
  });
}
