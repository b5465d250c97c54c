import type { DeliveryDue } from '@tocsin/contracts';
import type { DatabaseRetry } from '../database-retry.js';
import { type ClaimRepository, newClaimToken } from './claim-repository.js';
import type { Claimed } from './claimed.js';

/**
 * Claims one delivery; undefined where it is not ours to send: done, of an older run, or another's. One that is
 * being claimed is not asked for again before that has ended.
 */
export type Claim = (due: DeliveryDue) => Promise<Claimed | undefined>;

export interface ClaimDeps {
  repository: ClaimRepository;
  databaseRetry: DatabaseRetry;
  onBatch: (size: number) => void;
}

interface Asked {
  due: DeliveryDue;
  /** Of the batch that it was first tried with: whether that one's commit arrived may be unknown. */
  token: string | undefined;
}

const maxClaimsInBatch = 200;

export function createClaim(deps: ClaimDeps): Claim {
  const { repository, databaseRetry, onBatch } = deps;
  const batcher = databaseRetry.createBatcher<Asked, Claimed | undefined>({
    commit: async (batch) => {
      const token = batch[0]?.token ?? newClaimToken();
      for (const asked of batch) asked.token = token;
      const wanted = batch.map(({ due }) => due);
      const claimed = await repository.claim(wanted, token);
      const byId = new Map(claimed.map((entry) => [entry.deliveryId, entry]));
      return wanted.map(({ deliveryId }) => byId.get(deliveryId));
    },
    maxSize: maxClaimsInBatch,
    concurrency: 2,
    onBatch,
  });
  return (due) => batcher.add({ due, token: undefined });
}
