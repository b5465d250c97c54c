import { isPartitionMissing } from '@tocsin/database';
import type { Patience } from '../patience.js';

/**
 * A day without its partition is our fault and not the row's: the partitions are made by `ensure`, and the work is done
 * again. Where that did not help, the error is thrown.
 */
export function mendPartitions(patience: Patience, ensure: () => Promise<void>): Patience {
  return {
    ...patience,
    async untilAnswered(work, isWaitedOut) {
      try {
        return await patience.untilAnswered(work, isWaitedOut);
      } catch (error) {
        if (!isPartitionMissing(error)) throw error;
        await patience.untilAnswered(ensure);
        return patience.untilAnswered(work, isWaitedOut);
      }
    },
  };
}
