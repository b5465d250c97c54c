import { createSemaphore, createTimeBudget, sleep } from '@tocsin/kit';
import { LRUCache } from 'lru-cache';

/**
 * Limits the time that one workspace's templates take. Rendering is synchronous, so a worker does nothing else meanwhile.
 * While other workspaces render too, a workspace may use a quarter of a worker's time.
 */
export interface RenderBudget {
  /**
   * Returns the result of `render`, which runs as soon as the workspace's budget allows it. Undefined if eight
   * deliveries of the workspace wait already.
   */
  run<T>(workspaceId: string, render: () => T): Promise<T | undefined>;
  /** True if the workspace has exceeded its budget within the last second. */
  isExceeded(workspaceId: string): boolean;
}

const share = 1 / 4;
/** Twelve renderings of the slowest accepted template (8 ms). A usual template takes 0.01 ms. */
const burstMs = 100;
/** At 8 ms a rendering and a quarter of the time, the last of them waits for 0.3 s. */
const maxWaitingPerWorkspace = 8;
/** A workspace counts as rendering, or as over its budget, for this long. */
const recentMs = 1_000;
const maxWorkspaces = 10_000;

export function createRenderBudget(now: () => number): RenderBudget {
  const budget = createTimeBudget({ share, burstMs, maxKeys: maxWorkspaces, now });
  // One delivery of a workspace waits for the budget, the others for it: renderings are spread over time.
  const turns = createSemaphore({
    permits: Number.POSITIVE_INFINITY,
    permitsPerKey: 1,
    maxWaitingPerKey: maxWaitingPerWorkspace,
  });
  const exceededAtMs = new LRUCache<string, number>({ max: maxWorkspaces });
  // The last two workspaces suffice: at least one of them is not the one that asks.
  const renderedAtMs = new LRUCache<string, number>({ max: 2 });

  const isRecent = (atMs: number | undefined) => atMs !== undefined && now() - atMs < recentMs;
  const isAlone = (workspaceId: string) =>
    [...renderedAtMs].every(([other, atMs]) => other === workspaceId || !isRecent(atMs));
  const waitMs = (workspaceId: string) => (isAlone(workspaceId) ? 0 : budget.waitMs(workspaceId));

  const renderNow = <T>(workspaceId: string, render: () => T): T => {
    const startedAtMs = now();
    try {
      return render();
    } finally {
      renderedAtMs.set(workspaceId, now());
      if (!isAlone(workspaceId)) budget.charge(workspaceId, now() - startedAtMs);
    }
  };
  return {
    async run(workspaceId, render) {
      if (waitMs(workspaceId) === 0) return renderNow(workspaceId, render);
      exceededAtMs.set(workspaceId, now());
      const release = await turns.acquire(workspaceId).catch(() => undefined);
      if (release === undefined) return undefined;
      try {
        await sleep(waitMs(workspaceId));
        return renderNow(workspaceId, render);
      } finally {
        release();
      }
    },
    isExceeded: (workspaceId) => isRecent(exceededAtMs.get(workspaceId)),
  };
}
