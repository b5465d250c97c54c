import { lowestId } from '@tocsin/database';
import { LRUCache } from 'lru-cache';
import type { Candidate, DueReader, ScanResult, VisitLimits } from './due-reader.js';

/**
 * A cursor over the workspaces with waiting deliveries, and over the webhooks of each workspace, in the order of their
 * ids. Each call reads a bounded number of index entries and continues where the previous call ended, so that every
 * webhook is reached after enough calls.
 */
export interface DueScan {
  /**
   * Finds webhooks with enough due deliveries to fill about `freePlaces` places in the queue. `isPartial` is true if
   * workspaces remain to be visited before the cursor starts again at the first one.
   */
  next(freePlaces: number): Promise<ScanResult & { isPartial: boolean }>;
  /**
   * Must be called with the number of places that each webhook got, so that the next visit to a workspace continues
   * after the last served webhook. A webhook whose quota is used up (`due` is 0) counts as served.
   */
  markServed(result: ScanResult, places: ReadonlyMap<Candidate, number>): void;
}

/**
 * Limit on the index entries that each of the two scans in a call reads. Reading an entry takes about 6 µs. One scan
 * reads the workspaces. The other reads the webhooks of the visited workspaces, and divides the limit among them. A
 * workspace gets at least 8 entries, so this scan exceeds the limit with 400 workspaces: it reads up to 3,200 entries.
 */
const maxSteps = 1_000;
/** Maximum number of workspaces with due deliveries that a call visits. */
const maxVisits = 400;
/** Lower bound for `steps` and for `oldest`, the limits that `findWebhooks` applies to each visited workspace. */
const minOfWorkspace = 8;
/**
 * Minimum number of webhooks with due deliveries that a call looks for in each workspace. One webhook is not enough,
 * because its quota may be used up.
 */
const minWebhooks = 2;

export function createDueScan(repository: DueReader): DueScan {
  // For each workspace, the webhook after which the next visit continues. In a workspace that is not in the cache,
  // reading starts at the first webhook.
  const webhookAfter = new LRUCache<string, string>({ max: 10_000 });
  let after: string | undefined;
  const nextWorkspaces = async (freePlaces: number): Promise<string[]> => {
    const workspaces = Math.min(maxVisits, freePlaces);
    const { workspaceIds, next } = await repository.findWorkspaces({
      after,
      steps: maxSteps,
      workspaces,
    });
    const wasAtEnd = after !== undefined && next === undefined && workspaceIds.length === 0;
    after = next;
    return wasAtEnd ? nextWorkspaces(freePlaces) : workspaceIds;
  };
  return {
    async next(freePlaces) {
      const workspaceIds = await nextWorkspaces(freePlaces);
      const isPartial = after !== undefined;
      if (workspaceIds.length === 0) return { ...nothingDue, isPartial };
      const visits = workspaceIds.map((workspaceId) => ({
        workspaceId,
        after: webhookAfter.get(workspaceId) ?? lowestId,
      }));
      return { ...(await repository.findWebhooks(visits, limitsOf(visits.length, freePlaces))), isPartial };
    },
    markServed({ candidates, scannedTo }, places) {
      const lastServed = new Map<string, string>();
      const unserved = new Set<string>();
      for (const candidate of candidates) {
        const { workspaceId, webhookId, isFromScan, due } = candidate;
        if (!isFromScan || unserved.has(workspaceId)) continue;
        if (due === 0 || places.has(candidate)) lastServed.set(workspaceId, webhookId);
        else unserved.add(workspaceId);
      }
      for (const [workspaceId, end] of scannedTo) {
        const isServed = !unserved.has(workspaceId);
        const to = isServed ? end : (lastServed.get(workspaceId) ?? webhookAfter.get(workspaceId));
        if (to === undefined) webhookAfter.delete(workspaceId);
        else webhookAfter.set(workspaceId, to);
      }
    },
  };
}

const nothingDue: ScanResult = { candidates: [], paused: [], hasLimited: false, scannedTo: new Map() };

function limitsOf(visits: number, freePlaces: number): VisitLimits {
  const places = Math.ceil(freePlaces / visits);
  const steps = Math.max(minOfWorkspace, Math.floor(maxSteps / visits));
  return {
    steps,
    webhooks: Math.min(steps, Math.max(minWebhooks, places)),
    oldest: Math.max(minOfWorkspace, Math.min(maxSteps, places)),
    places,
  };
}
