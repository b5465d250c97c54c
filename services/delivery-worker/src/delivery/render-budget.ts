import { createSemaphore, createTimeBudget, sleep } from '@tocsin/kit';
import { LRUCache } from 'lru-cache';
import { createKeyedCounter } from '../slots/slot-usage.js';

/**
 * Limits the rendering for each workspace to a quarter of the worker's time, because rendering is synchronous and
 * blocks the event loop. After a workspace has used its budget, its further renderings are spread evenly over time.
 */
export interface RenderBudget {
  /**
   * Returns true if the workspace is within its budget. The caller must render in the same tick: concurrent deliveries
   * would otherwise all be allowed before the first one is charged.
   */
  allows(workspaceId: string): boolean;
  /** Resolves to true when the budget allows one rendering, and to false at once if too many deliveries are waiting. */
  wait(workspaceId: string): Promise<boolean>;
  /** Calls `render`, charges its duration to the workspace, and returns its result. */
  run<T>(workspaceId: string, render: () => T): T;
  /**
   * Number of further deliveries of the workspace that may wait for its budget. Infinity if the workspace was within
   * its budget for the last second.
   */
  rendersLeft(workspaceId: string): number;
}

const share = 1 / 4;
/**
 * Budget for a burst in milliseconds: nine renderings of the slowest known template within the limits (11 ms each,
 * docs/adr/0016). A typical template takes 0.01 ms.
 */
const burstMs = 100;
/**
 * Maximum number of waiting deliveries of a workspace. With 11 ms for each rendering at a quarter of the time, the last
 * of 32 waits for about 1.4 seconds.
 */
const maxWaitingPerWorkspace = 32;
const exceededForMs = 1_000;
const maxWorkspaces = 10_000;

export function createRenderBudget(now: () => number): RenderBudget {
  const budget = createTimeBudget({ share, burstMs, now });
  // One delivery of each workspace waits for the budget at a time; the others wait for a permit of this semaphore.
  const perWorkspace = createSemaphore({ permits: Number.POSITIVE_INFINITY, permitsPerKey: 1 });
  const waiting = createKeyedCounter();
  const exceededAtMs = new LRUCache<string, number>({ max: maxWorkspaces });

  return {
    allows: (workspaceId) => budget.waitMs(workspaceId) === 0,
    async wait(workspaceId) {
      exceededAtMs.set(workspaceId, now());
      if (waiting.of(workspaceId) >= maxWaitingPerWorkspace) return false;
      waiting.add(workspaceId, 1);
      const release = await perWorkspace.acquire(workspaceId);
      await sleep(budget.waitMs(workspaceId));
      waiting.add(workspaceId, -1);
      // The permit is released in a later tick, after this delivery has rendered and was charged. The next delivery
      // must read the reduced budget.
      setImmediate(release);
      return true;
    },
    run: budget.run,
    rendersLeft(workspaceId) {
      const sinceMs = now() - (exceededAtMs.get(workspaceId) ?? Number.NEGATIVE_INFINITY);
      if (sinceMs > exceededForMs) return Number.POSITIVE_INFINITY;
      return maxWaitingPerWorkspace - waiting.of(workspaceId);
    },
  };
}
