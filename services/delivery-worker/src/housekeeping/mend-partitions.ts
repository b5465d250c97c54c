import { isPartitionMissing } from '@tocsin/database';
import type { Patience } from '../patience.js';

/**
 * A day without its partition is our fault and not the row's: the partitions are made by `ensure`, and the work is done
 * again. Where that did not help, the error is thrown.
 */
export function mendPartitions({ untilAnswered }: Patience, ensure: () => Promise<void>): Patience {
  return {
    async untilAnswered(work) {
      try {
        return await untilAnswered(work);
      } catch (error) {
        if (!isPartitionMissing(error)) throw error;
        await untilAnswered(ensure);
        return untilAnswered(work);
      }
    },
  };
}
