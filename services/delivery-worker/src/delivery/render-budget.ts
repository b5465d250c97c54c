import { createSemaphore, createTimeBudget, sleep } from '@tocsin/kit';
import { LRUCache } from 'lru-cache';
import { createKeyedCounter } from '../slots/slot-usage.js';

/**
 * A workspace may use a quarter of a worker's time for rendering. Rendering is synchronous, so a worker does nothing else
 * meanwhile. Over its budget, the workspace's renderings are spread evenly over time.
 */
export interface RenderBudget {
  /** True if the workspace is within its budget. */
  allows(workspaceId: string): boolean;
  /** Resolves to true when the budget allows one rendering, to false at once if too many deliveries wait. */
  wait(workspaceId: string): Promise<boolean>;
  /** Returns the result of `render` and charges the time that it took. */
  charge<T>(workspaceId: string, render: () => T): T;
  /**
   * Number of further deliveries that can wait for the budget of the workspace. Unlimited for a workspace that was
   * within its budget for the last second.
   */
  room(workspaceId: string): number;
}

const share = 1 / 4;
/** Time for twelve renderings of the slowest accepted template (8 ms). A usual template takes 0.01 ms. */
const burstMs = 100;
/** The last of 32 deliveries waits for about one second, with 8 ms for a rendering and a quarter of the time. */
const maxWaitingPerWorkspace = 32;
const exceededForMs = 1_000;
const maxWorkspaces = 10_000;

export function createRenderBudget(now: () => number): RenderBudget {
  const budget = createTimeBudget({ share, burstMs, maxKeys: maxWorkspaces, now });
  // One delivery of a workspace waits for the budget, and the others wait for that delivery.
  const turns = createSemaphore({ permits: Number.POSITIVE_INFINITY, permitsPerKey: 1 });
  const waiting = createKeyedCounter();
  const exceededAtMs = new LRUCache<string, number>({ max: maxWorkspaces });

  return {
    allows: (workspaceId) => budget.waitMs(workspaceId) === 0,
    async wait(workspaceId) {
      exceededAtMs.set(workspaceId, now());
      if (waiting.of(workspaceId) >= maxWaitingPerWorkspace) return false;
      waiting.add(workspaceId, 1);
      const release = await turns.acquire(workspaceId);
      await sleep(budget.waitMs(workspaceId));
      waiting.add(workspaceId, -1);
      // The next delivery reads the budget in a later tick, after this one has rendered and is charged.
      setImmediate(release);
      return true;
    },
    charge: budget.run,
    room(workspaceId) {
      const sinceMs = now() - (exceededAtMs.get(workspaceId) ?? Number.NEGATIVE_INFINITY);
      if (sinceMs > exceededForMs) return Number.POSITIVE_INFINITY;
      return maxWaitingPerWorkspace - waiting.of(workspaceId);
    },
  };
}
