import type { KeyedCounter, PoolUsage, Responsiveness, SlotRequest, SlotUsage } from './slot-usage.js';

/**
 * Limit 1: slots of one webhook. The numbers fit the default of 800 slots. A webhook gets four slots until its
 * destination responds, so that 150 hanging webhooks are needed to occupy the 600 unreserved slots. The limit of a
 * responsive webhook exceeds the 400 slots for claims at write. With a lower limit, a burst of alerts of a rule with
 * one webhook could not use all these slots, and more of its deliveries would pass through the queue.
 */
const webhookLimits: Record<Responsiveness, number> = { responsive: 512, slow: 256, unknown: 4 };

/** Limit 2: a quarter of the slots is reserved for responsive webhooks. All webhooks share the rest. */
const unreservedPart = 3 / 4;

/**
 * Limit 3: maximum number of slots of a workspace for each slot that is free. A single busy workspace gets 15/16 of the
 * slots, and n busy workspaces get 15/(15n + 1) each. While fewer than 40 workspaces are busy (600 unreserved slots /
 * 15), a further workspace therefore finds a free slot.
 */
const maxSlotsPerFreeSlot = 15;

/**
 * Fraction of the slots that deliveries may use if they were claimed in the transaction that inserted them. The other
 * slots are left to deliveries from the queue. Limits 2 and 3 also apply within this fraction. A larger fraction would
 * not make the worker faster: 400 of 800 slots keep it busy, and further deliveries would only wait and use memory.
 */
const atWritePart = 1 / 2;

export function slotsAtWrite(total: number): number {
  return Math.ceil(total * atWritePart);
}

/** Returns true if the limits allow a slot for the request. */
export function mayAcquire(request: SlotRequest, usage: SlotUsage): boolean {
  const { webhookId, responsiveness, atWrite } = request;
  if (usage.byWebhook.of(webhookId) >= webhookLimits[responsiveness]) return false;
  return hasFreeSlot(request, usage.all) && (!atWrite || hasFreeSlot(request, usage.atWrite));
}

function hasFreeSlot({ workspaceId, responsiveness }: SlotRequest, pool: PoolUsage): boolean {
  if (!hasShare(workspaceId, pool.byWorkspace, pool.size)) return false;
  return (
    responsiveness === 'responsive' ||
    hasShare(workspaceId, pool.notResponsiveByWorkspace, pool.size * unreservedPart)
  );
}

function hasShare(workspaceId: string, slots: KeyedCounter, size: number): boolean {
  return slots.of(workspaceId) < maxSlotsPerFreeSlot * (size - slots.total());
}

/** Returns the number of slots that a single busy workspace can have of `size` slots. */
export function shareOfOne(size: number): number {
  return Math.ceil((size * maxSlotsPerFreeSlot) / (maxSlotsPerFreeSlot + 1));
}

const responsiveQuota = 1_000;

/**
 * Returns the maximum number of a webhook's deliveries in the queue, at least 1. A queued delivery that finds no slot
 * costs a claim and a release. The webhooks of a workspace that are not responsive therefore share a quota as large as
 * the number of slots that the workspace can have.
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

/**
 * Delay of a delivery that found no slot, in milliseconds. It is longer for an unknown webhook, because a hanging
 * destination releases its slots only after the request timeout.
 */
const retryMs: Record<Responsiveness, number> = { responsive: 750, slow: 750, unknown: 3_000 };

/**
 * Returns the delay of a delivery that found no slot, in milliseconds.
 * @param random 0 to 1; changes the delay by up to a third, so that deliveries without a slot become due at different
 *   times
 */
export function noSlotDelayMs(responsiveness: Responsiveness, random: number): number {
  return retryMs[responsiveness] * (2 / 3 + (2 / 3) * random);
}
