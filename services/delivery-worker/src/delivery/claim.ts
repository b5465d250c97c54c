import type { DeliveryDue } from '@tocsin/contracts';
import type { DatabaseRetry } from '../database-retry.js';
import { type ClaimRepository, newClaimToken } from './claim-repository.js';
import type { ClaimedDelivery } from './claimed-delivery.js';

/**
 * Claims one delivery. Resolves to undefined if the delivery is waiting, is claimed already, has ended, or has another
 * run. Must not be called while a claim of the same delivery is in progress.
 */
export type Claim = (due: DeliveryDue) => Promise<ClaimedDelivery | undefined>;

export interface ClaimDeps {
  repository: ClaimRepository;
  databaseRetry: DatabaseRetry;
  /** Returns the number of deliveries that are claimed and wait until a tick of the event loop starts them. */
  waitingForTick: () => number;
  onBatch: (size: number) => void;
}

interface Pending {
  due: DeliveryDue;
  /**
   * Claim token of the first statement for this delivery; undefined before that statement. If the reply to the
   * statement is lost, it is repeated with the same token, because it may have been committed.
   */
  token: string | undefined;
}

const maxClaimsInBatch = 200;
/**
 * No delivery is claimed while more than this number of claimed deliveries wait for a tick of the event loop. While at
 * least one of them waits, a batch of claims has at most this size. The window of the dispatcher counts only unclaimed
 * deliveries. Without these limits, the dispatcher would therefore queue too many deliveries, and a retry would wait
 * behind all of them.
 */
const maxWaitingForTick = 50;

export function createClaim({ repository, databaseRetry, waitingForTick, onBatch }: ClaimDeps): Claim {
  const batcher = databaseRetry.createBatcher<Pending, ClaimedDelivery | undefined>({
    commit: async (batch) => {
      const token = batch[0]?.token ?? newClaimToken();
      for (const pending of batch) pending.token = token;
      const due = batch.map((pending) => pending.due);
      const claimed = await repository.claim(due, token);
      const byId = new Map(claimed.map((delivery) => [delivery.deliveryId, delivery]));
      return due.map(({ deliveryId }) => byId.get(deliveryId));
    },
    maxSize: maxClaimsInBatch,
    concurrency: 2,
    maxNextBatch: () => maxClaims(waitingForTick()),
    onBatch,
  });
  return (due) => batcher.add({ due, token: undefined });
}

function maxClaims(waitingForTick: number): number {
  if (waitingForTick === 0) return maxClaimsInBatch;
  return waitingForTick > maxWaitingForTick ? 0 : maxWaitingForTick;
}
