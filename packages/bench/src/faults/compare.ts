import { groupBy } from '@tocsin/kit';
import type { Arrivals } from '../destination/arrivals.js';
import { alertIdOf, sequenceOf } from '../load/alert-ids.js';
import type { DeliveryRecord } from './fault-records-reader.js';

/** Results of one run from the publisher, the destination and the database. */
export interface Evidence {
  run: number;
  webhookIds: string[];
  /**
   * Time at which the broker or the API confirmed each alert, by sequence number, in milliseconds. 0 means that the
   * alert was not confirmed. In this suite, "accepted" means "confirmed".
   */
  acceptedAtMs: Float64Array;
  arrivals: Pick<Arrivals, 'received' | 'rejected'>;
  records: DeliveryRecord[];
  /** False if a worker was killed or stopped. Records of some of its requests can then be missing. */
  allRequestsRecorded: boolean;
}

export interface Comparison {
  accepted: number;
  /** Number of deliveries that workers must create for the accepted alerts. */
  expected: number;
  delivered: number;
  lost: number;
  /** Number of requests with the response 200 after an earlier request of the same delivery with the response 200. */
  repeated: number;
  /** Number of repeated requests by delivery index. */
  repeats: Map<number, number>;
  /**
   * One sentence for each delivery with missing or inconsistent records, and for each whose records do not match the
   * requests at the destination.
   */
  disagreements: string[];
}

/** Compares the accepted alerts, the requests at the destination and the records with each other. */
export function compare(evidence: Evidence): Comparison {
  const { run, webhookIds, acceptedAtMs, arrivals, records, allRequestsRecorded } = evidence;
  const recordsByIndex = groupBy(records, (record) => deliveryIndexOf(run, webhookIds, record));
  const repeats = new Map<number, number>();
  const disagreements: string[] = [];
  let accepted = 0;
  let delivered = 0;
  for (const [sequence, atMs] of acceptedAtMs.entries()) {
    const isAccepted = atMs > 0;
    if (isAccepted) accepted += 1;
    for (let webhook = 0; webhook < webhookIds.length; webhook += 1) {
      const index = sequence * webhookIds.length + webhook;
      const received = arrivals.received[index]!;
      const succeeded = received - arrivals.rejected[index]!;
      if (isAccepted && succeeded > 0) delivered += 1;
      if (succeeded > 1) repeats.set(index, succeeded - 1);
      const disagreement = findDisagreement({
        records: recordsByIndex.get(index) ?? [],
        received,
        succeeded,
        isAccepted,
        allRequestsRecorded,
      });
      if (disagreement !== undefined)
        disagreements.push(`${alertIdOf(run, sequence)} to webhook ${webhook}: ${disagreement}`);
    }
  }
  const expected = accepted * webhookIds.length;
  return {
    accepted,
    expected,
    delivered,
    lost: expected - delivered,
    repeated: [...repeats.values()].reduce((sum, times) => sum + times, 0),
    repeats,
    disagreements,
  };
}

interface DeliveryEvidence {
  records: DeliveryRecord[];
  /** Number of requests at the destination. */
  received: number;
  /** Number of requests with the response 200. */
  succeeded: number;
  isAccepted: boolean;
  allRequestsRecorded: boolean;
}

function findDisagreement(delivery: DeliveryEvidence): string | undefined {
  const { records, received, succeeded, isAccepted, allRequestsRecorded } = delivery;
  const [record] = records;
  if (record === undefined) {
    if (succeeded > 0) return 'it arrived and has no record';
    return isAccepted ? 'it was accepted and has no record' : undefined;
  }
  if (records.length > 1) return `it has ${records.length} records`;
  if (succeeded > 0 && record.status !== 'succeeded') return `it arrived and is recorded as ${record.status}`;
  if (succeeded === 0 && record.status === 'succeeded')
    return 'it is recorded as succeeded and has not arrived';
  if (record.attempts !== record.attemptsMade || record.lastNumber !== record.attempts)
    return `${record.attempts} attempts, the last number ${record.lastNumber}, but attempts_made is ${record.attemptsMade}`;
  if (allRequestsRecorded && record.attempts !== received)
    return `${received} requests arrived, ${record.attempts} attempts are recorded`;
  if (record.successfulAttempts > succeeded)
    return `${record.successfulAttempts} successful attempts are recorded, ${succeeded} requests succeeded`;
  if (record.status === 'succeeded' && record.successfulAttempts === 0)
    return 'it succeeded without a successful attempt';
  // Only the worker with the latest claim may end a delivery.
  if (record.claims < record.lastClaim)
    return `claim ${record.claims} ended it although claim ${record.lastClaim} exists`;
  return undefined;
}

/**
 * Returns the delivery index of a delivery (`Arrivals`).
 * @throws Error if the alert belongs to another run
 */
export function deliveryIndexOf(
  run: number,
  webhookIds: string[],
  { alertId, webhookId }: { alertId: string; webhookId: string },
): number {
  const sequence = sequenceOf(alertId);
  if (alertId !== alertIdOf(run, sequence)) throw new Error(`${alertId} does not belong to run ${run}.`);
  return sequence * webhookIds.length + webhookIds.indexOf(webhookId);
}
