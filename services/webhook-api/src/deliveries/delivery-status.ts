import type { DeliveryStatus } from '@tocsin/contracts';

type EndedStatus = Extract<DeliveryStatus, 'succeeded' | 'failed' | 'skipped'>;
export type OpenStatus = Exclude<DeliveryStatus, EndedStatus>;

/** Columns of the state of a delivery; those of `open_deliveries` are null for an ended delivery. */
export interface StatusColumns {
  /** Column `deliveries.status`. */
  recordedStatus: 'open' | EndedStatus;
  /** Column `open_deliveries.state`. */
  state: 'waiting' | 'queued' | null;
  /** True if `open_deliveries.claimed_by` names a worker. */
  claimed: boolean;
}

/**
 * The state of a delivery. The table keeps `sending` as a queued row that is claimed: `state` is indexed for the
 * dispatcher, `claimed_by` is not, so PostgreSQL claims a delivery without an update of any index (HOT).
 */
export function toDeliveryStatus({ recordedStatus, state, claimed }: StatusColumns): DeliveryStatus {
  if (recordedStatus !== 'open') return recordedStatus;
  if (state === 'waiting') return 'waiting';
  return claimed ? 'sending' : 'queued';
}

/** Conditions on `open_deliveries o`, the inverse of `toDeliveryStatus`. */
export const openConditions: Readonly<Record<OpenStatus, string>> = {
  waiting: `o.state = 'waiting'`,
  queued: `o.state = 'queued' and o.claimed_by is null`,
  sending: `o.state = 'queued' and o.claimed_by is not null`,
};

export function isOpenStatus(status: DeliveryStatus | undefined): status is OpenStatus {
  return status !== undefined && status in openConditions;
}
