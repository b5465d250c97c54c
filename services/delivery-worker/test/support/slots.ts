import type { WebhookInWorkspace } from '@tocsin/deliveries';
import { createSlots, type Slot, type Slots } from '../../src/slots/slots.js';

/** Returns a webhook. By default each webhook belongs to a workspace of its own. */
export const webhook = (
  webhookId: string,
  workspaceId = `workspace of ${webhookId}`,
): WebhookInWorkspace => ({
  webhookId,
  workspaceId,
});

export const createTestSlots = (total: number, waitMs = 100) => createSlots({ total, now: () => 0, waitMs });

/** Acquires slots until the limits allow no further one, at most `count`, and returns them. */
export function acquireMany(slots: Slots, key: WebhookInWorkspace, count = 1_000): Slot[] {
  return repeatUntilRefused(() => slots.acquire(key), count);
}

export function acquireManyAtWrite(slots: Slots, key: WebhookInWorkspace, count = 1_000): Slot[] {
  return repeatUntilRefused(() => slots.acquireAtWrite(key), count);
}

function repeatUntilRefused(acquire: () => Slot | undefined, count: number): Slot[] {
  const acquired: Slot[] = [];
  while (acquired.length < count) {
    const slot = acquire();
    if (slot === undefined) break;
    acquired.push(slot);
  }
  return acquired;
}

export function releaseAll(acquired: Slot[]) {
  for (const slot of acquired) slot.release();
}
