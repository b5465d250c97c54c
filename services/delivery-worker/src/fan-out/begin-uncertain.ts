import type { DeliveryDue } from '@tocsin/contracts';
import type { Logger } from '@tocsin/kit';
import type { DatabaseRetry } from '../database-retry.js';
import type { ClaimRepository } from '../delivery/claim-repository.js';
import type { Claimed } from '../delivery/claimed.js';
import type { Slot } from '../slots/slots.js';

export interface BeginUncertainDeps {
  claims: Pick<ClaimRepository, 'claim'>;
  databaseRetry: DatabaseRetry;
  begin: (claimed: Claimed, slot: Slot) => void;
  logger: Logger;
}

/**
 * Begins those of the deliveries that this worker has written after all: they are claimed by the token that stands there
 * then, as a claim whose answer was lost is.
 */
export async function beginUncertain(
  uncertain: { due: DeliveryDue; slot: Slot }[],
  token: string,
  { claims, databaseRetry, begin, logger }: BeginUncertainDeps,
): Promise<void> {
  const due = uncertain.map((entry) => entry.due);
  // Without this they would wait for their leases.
  const claimed = await databaseRetry
    .whileUnavailable(() => claims.claim(due, token))
    .catch((err) => logger.warn({ err }, 'fan_out.claim_failed'));
  const byId = new Map(claimed?.map((entry) => [entry.deliveryId, entry]));
  for (const entry of uncertain) {
    const ours = byId.get(entry.due.deliveryId);
    if (ours === undefined) entry.slot.release();
    else begin(ours, entry.slot);
  }
}
