import type { TimeBudget } from '@tocsin/kit';
import { requireAllowed } from '../require-allowed.js';

/**
 * Templates are rendered by the thread that answers everybody, and one may take a quarter of a second of it: without a
 * bound a few callers would stop the publishing of alerts.
 */
export interface TemplateBudget {
  /**
   * Does the work, and charges the workspace what it took.
   * @throws AppError `too_many_requests` where it has used up its time
   */
  spend<T>(workspaceId: string, work: () => T): T;
}

/** A usual template takes two milliseconds: five hundred of them at once, and then fifty a second. */
export const templateTime = { share: 0.1, burstMs: 1_000 };

export function createTemplateBudget(budget: TimeBudget): TemplateBudget {
  return {
    spend(workspaceId, work) {
      requireAllowed(budget.check(workspaceId), usedUp);
      const startedAtMs = performance.now();
      try {
        return work();
      } finally {
        budget.charge(workspaceId, performance.now() - startedAtMs);
      }
    },
  };
}

const usedUp = 'The templates of this workspace have taken too much time to render within the last seconds.';
