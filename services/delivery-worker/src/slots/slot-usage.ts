import { LRUCache } from 'lru-cache';

/** A delivery that needs a slot, with the current responsiveness of its webhook. */
export interface SlotRequest {
  workspaceId: string;
  webhookId: string;
  responsiveness: Responsiveness;
  /** True for a delivery that is claimed at write. */
  atWrite: boolean;
}

/** Numbers of slots in use, by webhook and by workspace. `total` is the number of all slots of the worker. */
export interface SlotUsage {
  total: number;
  byWebhook: KeyedCounter;
  all: PoolUsage;
  /** Slots in use by deliveries that were claimed at write. */
  atWrite: PoolUsage;
  /** @param change 1 for an acquired slot, -1 for a released one */
  count(request: SlotRequest, change: 1 | -1): void;
}

/** Numbers of slots in use, by workspace. `size` is the number of slots in the pool. */
export interface PoolUsage {
  size: number;
  byWorkspace: KeyedCounter;
  /** For each workspace, the number of slots in use by its webhooks that are not responsive. */
  notResponsiveByWorkspace: KeyedCounter;
}

export interface KeyedCounter {
  of(key: string): number;
  total(): number;
  add(key: string, change: number): void;
}

export function createSlotUsage({ total, atWrite }: { total: number; atWrite: number }): SlotUsage {
  const usage = {
    total,
    byWebhook: createKeyedCounter(),
    all: createPoolUsage(total),
    atWrite: createPoolUsage(atWrite),
  };
  return {
    ...usage,
    count(request, change) {
      usage.byWebhook.add(request.webhookId, change);
      countInPool(usage.all, request, change);
      if (request.atWrite) countInPool(usage.atWrite, request, change);
    },
  };
}

function createPoolUsage(size: number): PoolUsage {
  return { size, byWorkspace: createKeyedCounter(), notResponsiveByWorkspace: createKeyedCounter() };
}

function countInPool(pool: PoolUsage, { workspaceId, responsiveness }: SlotRequest, change: 1 | -1): void {
  pool.byWorkspace.add(workspaceId, change);
  if (responsiveness !== 'responsive') pool.notResponsiveByWorkspace.add(workspaceId, change);
}

export function createKeyedCounter(): KeyedCounter {
  const counts = new Map<string, number>();
  let total = 0;
  return {
    of: (key) => counts.get(key) ?? 0,
    total: () => total,
    add(key, change) {
      total += change;
      const count = (counts.get(key) ?? 0) + change;
      if (count === 0) counts.delete(key);
      else counts.set(key, count);
    },
  };
}

/**
 * State of a webhook's destination.
 * - `responsive`: the last response took less than 500 ms.
 * - `slow`: the last response took 500 ms or longer.
 * - `unknown`: the destination has not responded in the last 30 s, or not to the last request.
 *
 * An error status also counts as a response, because the request releases its slot equally fast. Webhooks that fail are
 * paused by the circuit breaker.
 */
export type Responsiveness = 'responsive' | 'slow' | 'unknown';

export interface ResponsivenessTracker {
  of(webhookId: string): Responsiveness;
  /**
   * Returns the time since the webhook's last response in milliseconds. Infinity if its last request had no response,
   * or if its last response is not in memory.
   */
  sinceResponseMs(webhookId: string): number;
  /** Records the duration of a request in milliseconds; undefined for a request without a response. */
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
