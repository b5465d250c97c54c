import { LRUCache } from 'lru-cache';
import type { Candidate, DueReader, Survey, VisitBounds } from './due-reader.js';

/**
 * Walks through the workspaces with waiting deliveries, and through the webhooks of each, in the order of their ids.
 * Each call continues where the previous one ended. All webhooks are reached in turn, while the number of index entries
 * that a call reads is bounded.
 */
export interface DueWalk {
  /**
   * Finds webhooks with enough deliveries due to fill about `room` places in the queue. `isPartial` is true if the walk
   * has not reached the last workspace yet.
   */
  next(room: number): Promise<Survey & { isPartial: boolean }>;
  /**
   * Records which webhooks got places, so that the next visit to a workspace continues after them. A webhook whose
   * quota is used up (`due` is 0) counts as served.
   */
  served(survey: Survey, quotas: ReadonlyMap<Candidate, number>): void;
}

/**
 * Maximum number of index entries that a call reads, about 6 µs each: workspaces, and webhooks of all visited
 * workspaces together.
 */
const maxWorkspaceSteps = 1_000;
const maxWebhookSteps = 1_000;
/** Maximum number of workspaces with deliveries due that a call visits. */
const maxVisits = 400;
/** Minimum number of webhooks, and of oldest deliveries, that a call may read in each visited workspace. */
const minWebhookSteps = 8;
const minOldest = 8;
/**
 * Minimum number of webhooks with deliveries due that a call looks for in each workspace. The quota of the first one
 * may be used up.
 */
const minWebhooks = 2;
/**
 * Number of workspaces whose last served webhook is remembered. In other workspaces the walk starts again at the first
 * webhook.
 */
const maxRemembered = 10_000;
const beforeAll = '00000000-0000-0000-0000-000000000000';

export function createDueWalk(repository: DueReader): DueWalk {
  const webhookAfter = new LRUCache<string, string>({ max: maxRemembered });
  let after: string | undefined;
  const nextWorkspaces = async (room: number): Promise<string[]> => {
    const workspaces = Math.min(maxVisits, room);
    const { workspaceIds, next } = await repository.findWorkspaces({
      after,
      steps: maxWorkspaceSteps,
      workspaces,
    });
    const wasAtEnd = after !== undefined && next === undefined && workspaceIds.length === 0;
    after = next;
    return wasAtEnd ? nextWorkspaces(room) : workspaceIds;
  };
  return {
    async next(room) {
      const workspaceIds = await nextWorkspaces(room);
      const isPartial = after !== undefined;
      if (workspaceIds.length === 0) return { ...nothingDue, isPartial };
      const visits = workspaceIds.map((workspaceId) => ({
        workspaceId,
        after: webhookAfter.get(workspaceId) ?? beforeAll,
      }));
      return { ...(await repository.survey(visits, boundsOf(visits.length, room))), isPartial };
    },
    served({ candidates, walkedTo }, quotas) {
      const lastServed = new Map<string, string>();
      const unserved = new Set<string>();
      for (const candidate of candidates) {
        const { workspaceId, webhookId, isFromWalk, due } = candidate;
        if (!isFromWalk || unserved.has(workspaceId)) continue;
        if (due === 0 || quotas.has(candidate)) lastServed.set(workspaceId, webhookId);
        else unserved.add(workspaceId);
      }
      for (const [workspaceId, end] of walkedTo) {
        const isServed = !unserved.has(workspaceId);
        const to = isServed ? end : (lastServed.get(workspaceId) ?? webhookAfter.get(workspaceId));
        if (to === undefined) webhookAfter.delete(workspaceId);
        else webhookAfter.set(workspaceId, to);
      }
    },
  };
}

const nothingDue: Survey = { candidates: [], paused: [], hasLimited: false, walkedTo: new Map() };

function boundsOf(visits: number, room: number): VisitBounds {
  const places = Math.ceil(room / visits);
  const steps = Math.max(minWebhookSteps, Math.floor(maxWebhookSteps / visits));
  return {
    steps,
    webhooks: Math.min(steps, Math.max(minWebhooks, places)),
    oldest: Math.max(minOldest, Math.min(maxWebhookSteps, places)),
    places,
  };
}
