import type { DeliveryDue } from '@tocsin/contracts';
import { createBatcher } from '../batcher.js';
import { oneOfEach } from '../one-of-each.js';
import type { Patience } from '../patience.js';
import { type Claimed, type ClaimRepository, newClaimToken } from './claim-repository.js';

/** Claims one delivery; undefined where it is not ours to send: done, of an older generation, or another's. */
export type Claim = (due: DeliveryDue) => Promise<Claimed | undefined>;

export interface ClaimDeps {
  repository: ClaimRepository;
  patience: Patience;
  onBatch: (size: number) => void;
}

const maxClaimsInBatch = 200;

export function createClaim({ repository, patience, onBatch }: ClaimDeps): Claim {
  const batcher = createBatcher<DeliveryDue, Claimed | undefined>({
    run: async (due) => {
      const token = newClaimToken();
      const claimed = await patience.untilAnswered(() => repository.claim(onePerDelivery(due), token));
      const byId = new Map(claimed.map((entry) => [entry.deliveryId, entry]));
      return due.map(({ deliveryId }) => takeOnce(byId, deliveryId));
    },
    maxSize: maxClaimsInBatch,
    lanes: 2,
    onBatch,
  });
  return (due) => batcher.add(due);
}

/** The same delivery can stand in a batch twice (its message came again): the later generation is the one that may live. */
function onePerDelivery(due: DeliveryDue[]): DeliveryDue[] {
  return oneOfEach(
    due,
    ({ deliveryId }) => deliveryId,
    (entry, kept) => entry.generation > kept.generation,
  );
}

function takeOnce(byId: Map<string, Claimed>, deliveryId: string): Claimed | undefined {
  const claimed = byId.get(deliveryId);
  byId.delete(deliveryId);
  return claimed;
}
