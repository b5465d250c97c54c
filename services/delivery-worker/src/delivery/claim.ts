import type { DeliveryDue } from '@tocsin/contracts';
import type { DatabaseRetry } from '../database-retry.js';
import { type ClaimRepository, newClaimToken } from './claim-repository.js';
import type { ClaimedDelivery } from './claimed-delivery.js';

/**
 * Claims one delivery. Resolves to undefined if it has ended, belongs to another worker, or has a later run. It must
 * not be called for a delivery while a claim of that delivery is in progress.
 */
export type Claim = (due: DeliveryDue) => Promise<ClaimedDelivery | undefined>;

export interface ClaimDeps {
  repository: ClaimRepository;
  databaseRetry: DatabaseRetry;
  /** Number of claimed deliveries that wait for a tick of the event loop. */
  waitingForTick: () => number;
  onBatch: (size: number) => void;
}

interface Pending {
  due: DeliveryDue;
  /** Token of the first try. That try may have been committed although its reply was lost. */
  token: string | undefined;
}

const maxClaimsInBatch = 200;
/**
 * Number of claimed deliveries waiting for a tick up to which a further batch is claimed, and the size of that batch.
 * Unclaimed deliveries count in the window, so that the dispatcher queues fewer. Claimed deliveries do not count, and a
 * retry would have to wait behind them in addition to the queue.
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
    room: () => roomBehind(waitingForTick()),
    onBatch,
  });
  return (due) => batcher.add({ due, token: undefined });
}

function roomBehind(waitingForTick: number): number {
  if (waitingForTick === 0) return maxClaimsInBatch;
  return waitingForTick > maxWaitingForTick ? 0 : maxWaitingForTick;
}
