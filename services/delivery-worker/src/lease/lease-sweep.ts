import type { Logger } from '@tocsin/kit';
import type { LeaseMetrics } from './lease-metrics.js';
import type { LeaseRepository } from './lease-repository.js';

export interface LeaseSweepParts {
  repository: Pick<LeaseRepository, 'releaseExpired'>;
  /** Ids of the deliveries that this worker works on. */
  inFlightIds: () => string[];
  logger: Logger;
  metrics: LeaseMetrics;
}

/** Releases deliveries whose lease has expired. A call during a release does nothing. */
export function createLeaseSweep({ repository, inFlightIds, logger, metrics }: LeaseSweepParts) {
  let isRunning = false;
  return async (releaseBy: Date): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      const count = await repository.releaseExpired({ inFlight: inFlightIds(), releaseBy });
      if (count === 0) return;
      metrics.leasesExpired(count);
      logger.warn({ count }, 'leases.released');
    } catch (err) {
      logger.warn({ err }, 'leases.postponed');
    } finally {
      isRunning = false;
    }
  };
}
