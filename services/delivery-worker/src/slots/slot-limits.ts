import type { KeyedCounter, PoolUsage, Responsiveness, SlotRequest, SlotUsage } from './slot-usage.js';

/**
 * Limit 1: slots of one webhook. A destination without a recent response gets few, so that 150 hanging webhooks are
 * needed to occupy the slots outside the reserve. Its first response lifts the limit.
 */
const webhookLimits: Record<Responsiveness, number> = { responsive: 256, slow: 256, unknown: 4 };

/** Limit 2: a quarter of the slots is reserved for responsive webhooks. All webhooks share the rest. */
const unreservedPart = 3 / 4;

/**
 * Limit 3: slots of one workspace, for each slot that is free. A workspace alone gets 15/16 of the slots, and n that want
 * all of them get 15/(15n + 1) each, so that a further workspace always finds a free slot.
 */
const maxSlotsPerFreeSlot = 15;

/**
 * Deliveries claimed at write follow these limits a second time within three quarters of the slots, so that deliveries
 * from the queue find free slots.
 */
const atWritePart = 3 / 4;

export function slotsAtWrite(total: number): number {
  return Math.ceil(total * atWritePart);
}

/** Decides if the limits allow a further slot. */
export function mayAcquire(request: SlotRequest, usage: SlotUsage): boolean {
  const { webhookId, responsiveness, atWrite } = request;
  if (usage.byWebhook.of(webhookId) >= webhookLimits[responsiveness]) return false;
  return hasRoom(request, usage.all) && (!atWrite || hasRoom(request, usage.atWrite));
}

function hasRoom({ workspaceId, responsiveness }: SlotRequest, pool: PoolUsage): boolean {
  if (!hasShare(workspaceId, pool.byWorkspace, pool.size)) return false;
  return (
    responsiveness === 'responsive' ||
    hasShare(workspaceId, pool.notResponsiveByWorkspace, pool.size * unreservedPart)
  );
}

function hasShare(workspaceId: string, slots: KeyedCounter, size: number): boolean {
  return slots.of(workspaceId) < maxSlotsPerFreeSlot * (size - slots.total());
}

/** Number of slots that a workspace alone can have of `size` slots. */
export function shareOfOne(size: number): number {
  return Math.ceil((size * maxSlotsPerFreeSlot) / (maxSlotsPerFreeSlot + 1));
}

const responsiveQuota = 1_000;

/**
 * Number of a webhook's deliveries that may be in the queue at a time, at least 1. Deliveries that find no slot cost a
 * claim and a release each, so the webhooks of a workspace that are not responsive share the slots that it can have.
 */
export function queueQuotaOf(
  { workspaceId, responsiveness }: Pick<SlotRequest, 'workspaceId' | 'responsiveness'>,
  { usage: { all }, backlogged }: { usage: SlotUsage; backlogged: number },
): number {
  if (responsiveness === 'responsive') return responsiveQuota;
  const { notResponsiveByWorkspace: slots } = all;
  const usable = all.size * unreservedPart - (slots.total() - slots.of(workspaceId));
  const share = Math.floor(usable / Math.max(1, backlogged));
  return Math.max(1, Math.min(webhookLimits[responsiveness], share));
}

/** Wait of a delivery that found no slot. A hanging destination frees its slots only at its request timeout. */
const retryMs: Record<Responsiveness, number> = { responsive: 750, slow: 750, unknown: 3_000 };

/** @param random 0 to 1; spreads deliveries by a third, so that they do not all return at once */
export function noSlotDelayMs(responsiveness: Responsiveness, random: number): number {
  return retryMs[responsiveness] * (2 / 3 + (2 / 3) * random);
}
