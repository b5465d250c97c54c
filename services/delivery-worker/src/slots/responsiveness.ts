import { LRUCache } from 'lru-cache';

/**
 * State of a webhook's destination. `responsive`: its last response came within 500 ms. `slow`: it took longer.
 * `unknown`: there was no response in the last 30 s, or the last request failed.
 */
export type Responsiveness = 'responsive' | 'slow' | 'unknown';

export interface ResponsivenessTracker {
  of(webhookId: string): Responsiveness;
  /** Time since the last response, in milliseconds; infinite in state `unknown`. */
  sinceResponseMs(webhookId: string): number;
  /** Records the duration of a request; undefined for a request that failed because of the destination. */
  observe(webhookId: string, durationMs: number | undefined): void;
}

const responsiveMs = 500;
const rememberedMs = 30_000;
const maxWebhooks = 20_000;

export function createResponsivenessTracker(now: () => number): ResponsivenessTracker {
  const responses = new LRUCache<string, { atMs: number; durationMs: number }>({ max: maxWebhooks });
  return {
    of(webhookId) {
      const last = responses.get(webhookId);
      if (last === undefined || now() - last.atMs >= rememberedMs) return 'unknown';
      return last.durationMs < responsiveMs ? 'responsive' : 'slow';
    },
    sinceResponseMs: (webhookId) => now() - (responses.get(webhookId)?.atMs ?? Number.NEGATIVE_INFINITY),
    observe(webhookId, durationMs) {
      if (durationMs === undefined) responses.delete(webhookId);
      else responses.set(webhookId, { atMs: now(), durationMs });
    },
  };
}
