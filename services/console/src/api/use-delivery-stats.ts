import { useQuery } from '@tanstack/react-query';
import { useWorkspaceId } from '../paths.js';
import { useClient } from './client.js';
import type { TimeRange } from './time-range.js';

/**
 * Fetches counts and latencies by time step. The range ends at the present time, so each poll requests a different
 * range.
 */
export function useDeliveryStats(range: TimeRange) {
  const client = useClient();
  const workspaceId = useWorkspaceId();
  return useQuery({
    queryKey: [workspaceId, 'delivery-stats', range.name],
    queryFn: ({ signal }) => {
      const now = Date.now();
      const since = new Date(now - range.lengthMs).toISOString();
      return client.deliveries.stats(
        { since, until: new Date(now).toISOString(), step: range.step },
        { signal },
      );
    },
    refetchInterval: 20_000,
    placeholderData: (previous) => previous,
  });
}
