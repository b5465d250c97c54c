import { LRUCache } from 'lru-cache';
import type { Candidate, DueReader, Survey, VisitBounds } from './due-reader.js';

/**
 * Walks through the workspaces with waiting deliveries, and through the webhooks of each, in the order of their ids. Each
 * call continues where the last one ended, so that all get their turns while the work of a call is bounded, whatever the
 * number of webhooks.
 */
export interface DueWalk {
  /** Finds webhooks with deliveries due for about `room` places. `isPartial`: the walk has not seen all workspaces yet. */
  next(room: number): Promise<Survey & { isPartial: boolean }>;
  /**
   * Lets the walk through each visited workspace continue behind the webhooks that got places. Webhooks that have no
   * quota left (`due` is 0) have had their turn.
   */
  served(survey: Survey, quotas: ReadonlyMap<Candidate, number>): void;
}

/** Index steps of a call, about 6 µs each: past workspaces, and in all visited workspaces past their webhooks. */
const maxWorkspaceSteps = 1_000;
const maxWebhookSteps = 1_000;
/** Workspaces with deliveries due that are visited in a call. */
const maxVisits = 400;
/** In each visited workspace a call walks past so many webhooks at least, and reads so many of the oldest deliveries. */
const minWebhookSteps = 8;
const minOldest = 8;
/** A call looks for so many webhooks at least, because one can have no quota left. */
const minWebhooks = 2;
/** Workspaces whose place in the walk is remembered. A forgotten one begins with its first webhook. */
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
