import type { Arrivals } from '../destination/counter-main.js';
import { alertIdOf, sequenceOf } from '../load/alert-ids.js';
import type { DeliveryRecord } from './records-reader.js';

export interface Evidence {
  run: number;
  webhookIds: string[];
  /** By sequence; zero where an alert was never accepted. */
  acceptedAtMs: Float64Array;
  arrivals: Arrivals;
  records: DeliveryRecord[];
  /** No worker was killed or stopped: each knows of every request that it made. */
  workersLived: boolean;
}

export interface Comparison {
  accepted: number;
  /** (alert, webhook) that were accepted. */
  owed: number;
  delivered: number;
  lost: number;
  /** Requests beyond the one that each delivery needs; what the destination refused does not count. */
  repeated: number;
  /** The slots (`alert * webhooks + webhook`) that were repeated, by how often. */
  repeats: Map<number, number>;
  /** A sentence for each record that does not agree with what arrived. */
  disagreements: string[];
}

/** Holds what was accepted against what arrived and what is recorded. */
export function compare(evidence: Evidence): Comparison {
  const { run, webhookIds, acceptedAtMs, arrivals, records, workersLived } = evidence;
  const bySlot = recordsBySlot(run, webhookIds, records);
  const repeats = new Map<number, number>();
  const disagreements: string[] = [];
  let accepted = 0;
  let delivered = 0;
  for (const [sequence, at] of acceptedAtMs.entries()) {
    if (at > 0) accepted += 1;
    for (let webhook = 0; webhook < webhookIds.length; webhook += 1) {
      const slot = sequence * webhookIds.length + webhook;
      const received = arrivals.received[slot]!;
      const taken = received - arrivals.refused[slot]!;
      if (at > 0 && taken > 0) delivered += 1;
      if (taken > 1) repeats.set(slot, taken - 1);
      const known = bySlot.get(slot) ?? [];
      const fault = disagreement({ records: known, received, taken, isAccepted: at > 0, workersLived });
      if (fault !== undefined)
        disagreements.push(`${alertIdOf(run, sequence)} to webhook ${webhook}: ${fault}`);
    }
  }
  const owed = accepted * webhookIds.length;
  return {
    accepted,
    owed,
    delivered,
    lost: owed - delivered,
    repeated: [...repeats.values()].reduce((sum, times) => sum + times, 0),
    repeats,
    disagreements,
  };
}

interface Slot {
  records: DeliveryRecord[];
  /** Requests that came, and those of them that the destination took. */
  received: number;
  taken: number;
  isAccepted: boolean;
  workersLived: boolean;
}

function disagreement({ records, received, taken, isAccepted, workersLived }: Slot): string | undefined {
  const [record] = records;
  if (record === undefined) {
    if (taken > 0) return 'it arrived and has no record';
    return isAccepted ? 'it was accepted and has no record' : undefined;
  }
  if (records.length > 1) return `it has ${records.length} records`;
  if (taken > 0 && record.status !== 'succeeded') return `it arrived and is recorded as ${record.status}`;
  if (taken === 0 && record.status === 'succeeded') return 'it is recorded as succeeded and has not arrived';
  if (record.attempts !== record.attemptsMade || record.lastNumber !== record.attempts)
    return `${record.attempts} attempts, the last number ${record.lastNumber}, but attempts_made is ${record.attemptsMade}`;
  if (workersLived && record.attempts !== received)
    return `${received} requests arrived, ${record.attempts} attempts are recorded`;
  if (record.attemptsAnswered200 > taken)
    return `${record.attemptsAnswered200} recorded as taken, ${taken} arrived`;
  if (record.status === 'succeeded' && record.attemptsAnswered200 === 0)
    return 'it succeeded without an attempt';
  // Only the owner of the last claim may end a delivery.
  if (record.claims < record.lastClaim)
    return `ended under claim ${record.claims} while ${record.lastClaim} was out`;
  return undefined;
}

function recordsBySlot(run: number, webhookIds: string[], records: DeliveryRecord[]) {
  const bySlot = new Map<number, DeliveryRecord[]>();
  for (const record of records) {
    const slot = slotOf(run, webhookIds, record);
    bySlot.set(slot, [...(bySlot.get(slot) ?? []), record]);
  }
  return bySlot;
}

/** Where an (alert, webhook) stands in what the destinations count. */
export function slotOf(
  run: number,
  webhookIds: string[],
  { alertId, webhookId }: { alertId: string; webhookId: string },
): number {
  const sequence = sequenceOf(alertId);
  if (alertId !== alertIdOf(run, sequence)) throw new Error(`${alertId} is not of run ${run}.`);
  return sequence * webhookIds.length + webhookIds.indexOf(webhookId);
}
