import type { DeliveryStatus, EndedStatus } from '@tocsin/contracts';

export type OpenStatus = Exclude<DeliveryStatus, EndedStatus>;

/** Values that determine the state of a delivery, from its rows in `deliveries` and `open_deliveries`. */
export interface StatusColumns {
  /** Value of the column `deliveries.status`. */
  recordedStatus: 'open' | EndedStatus;
  /** Value of the column `open_deliveries.state`; null for an ended delivery, which has no row in this table. */
  state: 'waiting' | 'queued' | null;
  /** True if a worker has claimed the delivery (`open_deliveries.claimed_by` is not null). False for an ended one. */
  claimed: boolean;
}

/**
 * Returns the state of a delivery. In the table, `sending` is a queued row with a claim. `state` has an index for the
 * dispatcher and `claimed_by` has none, so a claim updates no index (a HOT update of PostgreSQL).
 */
export function toDeliveryStatus({ recordedStatus, state, claimed }: StatusColumns): DeliveryStatus {
  if (recordedStatus !== 'open') return recordedStatus;
  if (state === 'waiting') return 'waiting';
  return claimed ? 'sending' : 'queued';
}

/** For each open state, the SQL condition on `open_deliveries o` that selects the deliveries in this state. */
export const openConditions: Readonly<Record<OpenStatus, string>> = {
  waiting: `o.state = 'waiting'`,
  queued: `o.state = 'queued' and o.claimed_by is null`,
  sending: `o.state = 'queued' and o.claimed_by is not null`,
};

export function isOpenStatus(status: DeliveryStatus | undefined): status is OpenStatus {
  return status !== undefined && status in openConditions;
}
