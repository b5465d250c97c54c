import { LRUCache } from 'lru-cache';

/**
 * Counts a webhook's failures in a row. It is by webhook and never by host, which tenants share; and it counts
 * deliveries, not attempts, so that one delivery's own retries open nothing.
 */
export interface Circuits {
  /** True when this failure opens the circuit. */
  failed(webhookId: string, deliveryId: string): boolean;
  answered(webhookId: string): void;
}

const failuresToOpen = 5;
const maxWebhooks = 10_000;

export function createCircuits(): Circuits {
  const failing = new LRUCache<string, Set<string>>({ max: maxWebhooks });
  return {
    failed(webhookId, deliveryId) {
      const deliveries = failing.get(webhookId) ?? new Set();
      deliveries.add(deliveryId);
      failing.set(webhookId, deliveries);
      if (deliveries.size < failuresToOpen) return false;
      failing.delete(webhookId);
      return true;
    },
    answered: (webhookId) => {
      failing.delete(webhookId);
    },
  };
}

const firstHoldMs = 10_000;
const maxHoldMs = 300_000;

/** How long an open circuit holds the webhook: longer each time that the probe failed too, with 20 % jitter. */
export function circuitHoldMs(times: number, random: number): number {
  const base = Math.min(maxHoldMs, firstHoldMs * 2 ** (times - 1));
  return base * (1 + 0.2 * (random * 2 - 1));
}
