import { waitFor } from '../measure/wait-for.js';
import type { Destination } from './start-destination.js';

/** Waits until so many different deliveries have arrived; throws where they cease to come. */
export async function waitForArrivals(destination: Destination, deliveries: number): Promise<void> {
  await waitFor({
    what: `of ${deliveries} deliveries arrived`,
    count: async () => (await destination.call('progress', undefined)).distinct,
    isReached: (distinct) => distinct >= deliveries,
    everyMs: 10,
  });
}
