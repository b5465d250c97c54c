import type { SendResult } from '@tocsin/egress';
import { exponentialBackoffMs } from '@tocsin/kit';
import { LRUCache } from 'lru-cache';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { failureOf, isDestinationFailure, isOwnFault, pauseRequestedBy } from './classify.js';
import type { Pause } from './pause-repository.js';

/**
 * Counts the different deliveries of a webhook whose requests have failed since its last success. Several failed
 * requests of one delivery count as one.
 */
export interface FailureCounter {
  /** Counts a failed request. Returns true if it opens the circuit of the webhook; the count is then reset. */
  fail(webhookId: string, deliveryId: string): boolean;
  reset(webhookId: string): void;
}

const failuresToOpen = 5;
const maxWebhooks = 10_000;

export function createFailureCounter(): FailureCounter {
  const failed = new LRUCache<string, Set<string>>({ max: maxWebhooks });
  return {
    fail(webhookId, deliveryId) {
      const deliveries = failed.get(webhookId) ?? new Set();
      deliveries.add(deliveryId);
      failed.set(webhookId, deliveries);
      if (deliveries.size < failuresToOpen) return false;
      failed.delete(webhookId);
      return true;
    },
    reset: (webhookId) => {
      failed.delete(webhookId);
    },
  };
}

export interface CircuitInput {
  claimed: Pick<ClaimedDelivery, 'webhookId' | 'deliveryId' | 'pause' | 'webhook'>;
  result: SendResult;
  failures: FailureCounter;
  /** Random number from 0 to 1. */
  random: number;
}

/**
 * Returns how a request changes the pause of its webhook: a new pause, `resume` to end the pause, or undefined for no
 * change. Each webhook has its own circuit breaker, because several tenants can have webhooks with the same host. The
 * circuit opens when the requests of five different deliveries in a row have failed because of the destination (no
 * response, 5xx or 429). A response with `Retry-After` and status 429 or 503 pauses the webhook for the requested time.
 * After a pause, single deliveries probe the destination. A fault of this worker neither opens nor closes the circuit.
 */
export function changePause({
  claimed,
  result,
  failures,
  random,
}: CircuitInput): Pause | 'resume' | undefined {
  if (isOwnFault(result)) return undefined;
  const { webhookId, deliveryId, pause } = claimed;
  const version = claimed.webhook?.version ?? 0;
  const pauseFor = (change: Pick<Pause, 'reason' | 'forMs' | 'times'>): Pause => ({
    webhookId,
    version,
    ...change,
    error: failureOf(result).error,
  });
  const requestedMs = pauseRequestedBy(result);
  if (requestedMs !== undefined && requestedMs > 0)
    return pauseFor({ reason: 'retry_after', forMs: requestedMs, times: 1 });
  if (!isDestinationFailure(result)) {
    failures.reset(webhookId);
    return pause && 'resume';
  }
  const opens = failures.fail(webhookId, deliveryId);
  const isProbe = pause?.reason === 'circuit';
  if (!opens && !isProbe) return undefined;
  const times = isProbe ? pause.times + 1 : 1;
  return pauseFor({ reason: 'circuit', forMs: circuitPauseMs(times, random), times });
}

const pauseBackoff = { firstMs: 10_000, maxMs: 300_000, jitter: 0 };

/**
 * Returns the length of the `times`-th pause in a row of an open circuit, in milliseconds. The length starts at 10 s
 * and doubles with each failed probe, up to five minutes. The jitter makes it up to 20 % shorter or longer.
 */
export function circuitPauseMs(times: number, random: number): number {
  return exponentialBackoffMs(times, pauseBackoff) * (1 + 0.2 * (random * 2 - 1));
}
