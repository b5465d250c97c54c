import type { DeliveryDue } from '@tocsin/contracts';
import { createBatcher } from '../batcher.js';
import { oneOfEach } from '../one-of-each.js';
import type { Patience } from '../patience.js';
import { type Claimed, type ClaimRepository, newClaimToken } from './claim-repository.js';
import type { SuspectSeat } from './suspect-seat.js';

/** Claims one delivery; undefined where it is not ours to send: done, of an older generation, or another's. */
export type Claim = (due: DeliveryDue) => Promise<Claimed | undefined>;

export interface ClaimDeps {
  repository: ClaimRepository;
  suspects: SuspectSeat;
  patience: Patience;
  onBatch: (size: number) => void;
}

const maxClaimsInBatch = 200;

export function createClaim(deps: ClaimDeps): Claim {
  const { repository, patience, onBatch } = deps;
  const batcher = createBatcher<DeliveryDue, Claimed | undefined>({
    run: async (due) => {
      const token = newClaimToken();
      const wanted = onePerDelivery(due);
      const claimed = await patience.untilAnswered(() => repository.claim(wanted, token));
      const byId = new Map(claimed.map((entry) => [entry.deliveryId, entry]));
      const left = wanted.filter(({ deliveryId }) => !byId.has(deliveryId));
      const suspect = left.length > 0 ? await claimSuspect(left, token, deps) : undefined;
      if (suspect !== undefined) byId.set(suspect.deliveryId, suspect);
      return due.map(({ deliveryId }) => takeOnce(byId, deliveryId));
    },
    maxSize: maxClaimsInBatch,
    lanes: 2,
    onBatch,
  });
  return (due) => batcher.add(due);
}

/** Of deliveries that were not ours to claim some may be suspected: one of them at the most is sent, the rest waits. */
async function claimSuspect(
  left: DeliveryDue[],
  token: string,
  { repository, suspects, patience }: ClaimDeps,
): Promise<Claimed | undefined> {
  const seated = suspects.take();
  let suspect: Claimed | undefined;
  try {
    if (seated) suspect = await patience.untilAnswered(() => repository.claimSuspect(left, token));
  } finally {
    if (seated && suspect === undefined) suspects.giveBack();
  }
  const others = left.filter(({ deliveryId }) => deliveryId !== suspect?.deliveryId);
  if (others.length > 0) await patience.untilAnswered(() => repository.postponeSuspects(others, token));
  return suspect;
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
