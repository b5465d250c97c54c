import type { WebhookInWorkspace } from '@tocsin/deliveries';
import { mayAcquire, queueQuotaOf, shareOfOne, slotsAtWrite } from './slot-limits.js';
import {
  createKeyedCounter,
  createResponsivenessTracker,
  createSlotUsage,
  type Responsiveness,
} from './slot-usage.js';

/** Permits for requests in flight, limited by webhook, by workspace and in total (see slot-limits.ts). */
export interface Slots {
  /** Acquires a slot; undefined if the limits allow none now. */
  acquire(webhook: WebhookInWorkspace): Slot | undefined;
  /**
   * Acquires a slot for a delivery that is claimed at write; undefined if the limits allow none now, or if no further
   * delivery of the workspace may wait for its render budget.
   */
  acquireAtWrite(webhook: WebhookInWorkspace): Slot | undefined;
  /**
   * Waits for a slot, because a short wait takes less work than releasing the claim and claiming again. Resolves to
   * undefined after 100 ms without a slot. For a responsive webhook, it resolves to undefined only after 500 ms without
   * a response, or after 5 s.
   */
  acquireSoon(webhook: WebhookInWorkspace): Promise<Slot | undefined>;
  /** Number of free slots that one workspace can get for claims at write. */
  freeAtWrite(): number;
  /** Maximum number of a webhook's deliveries in the queue; 0 only for a workspace over its render budget. */
  queueQuota(webhook: WebhookInWorkspace): number;
  /** Sets the webhooks with queued or due deliveries. `queueQuota` depends on their number in each workspace. */
  setBacklog(webhooks: Iterable<WebhookInWorkspace>): void;
  responsivenessOf(webhookId: string): Responsiveness;
  /** Records the duration of a request in milliseconds; undefined for a request without a response. */
  observe(webhookId: string, durationMs: number | undefined): void;
  /** Number of slots in use. */
  inUse(): number;
}

export interface Slot {
  /** A second call does nothing. */
  release(): void;
}

export interface SlotsOptions {
  total: number;
  /** Monotonic clock in milliseconds. */
  now: () => number;
  /**
   * Returns how many further deliveries of a workspace may wait for its render budget. Infinity if the workspace was
   * within the budget for the last second.
   */
  rendersLeft?: (workspaceId: string) => number;
  /** Returns a random number from 0 to 1. */
  random?: () => number;
  /** Maximum wait of `acquireSoon` for a webhook that is not responsive, in milliseconds. Default: 100. */
  waitMs?: number;
}

/**
 * Factor by which a delivery of a responsive webhook waits longer than other deliveries, because the requests of such a
 * webhook soon release a slot. The wait is repeated while the webhook gets responses.
 */
const responsiveWaitFactor = 5;
/**
 * Maximum wait of a delivery for a slot, with all repetitions, in milliseconds. The delivery is then deferred, so that
 * another worker can claim it.
 */
const maxWaitMs = 5_000;

export function createSlots(options: SlotsOptions): Slots {
  const { total, now, waitMs = 100, random = Math.random } = options;
  const { rendersLeft = () => Number.POSITIVE_INFINITY } = options;
  const usage = createSlotUsage({ total, atWrite: slotsAtWrite(total) });
  const tracker = createResponsivenessTracker(now);
  const waitingByWebhook = new Map<string, Set<(slot: Slot) => void>>();
  /** Numbers of the webhooks of `setBacklog` in each workspace: of all, and of those that are not responsive. */
  let backlog = { all: createKeyedCounter(), notResponsive: createKeyedCounter() };

  const acquire = (webhook: WebhookInWorkspace, atWrite = false): Slot | undefined => {
    const { workspaceId, webhookId } = webhook;
    const request = { workspaceId, webhookId, responsiveness: tracker.of(webhookId), atWrite };
    if (!mayAcquire(request, usage)) return undefined;
    usage.count(request, 1);
    let isReleased = false;
    return {
      release() {
        if (isReleased) return;
        isReleased = true;
        usage.count(request, -1);
        grantWaiting(webhook);
      },
    };
  };
  const grantWaiting = (webhook: WebhookInWorkspace) => {
    for (const grant of waitingByWebhook.get(webhook.webhookId) ?? []) {
      const slot = acquire(webhook);
      if (slot === undefined) return;
      grant(slot);
    }
  };
  const wait = (webhook: WebhookInWorkspace) =>
    new Promise<Slot | undefined>((resolve) => {
      const { webhookId } = webhook;
      const startedAtMs = now();
      const isResponsive = () => tracker.of(webhookId) === 'responsive';
      const intervalMs = () => (isResponsive() ? responsiveWaitFactor * waitMs : waitMs);
      const mayWaitOn = () =>
        isResponsive() &&
        tracker.sinceResponseMs(webhookId) <= intervalMs() &&
        now() - startedAtMs <= maxWaitMs;
      const waiting = waitingByWebhook.get(webhookId) ?? new Set();
      const end = (slot: Slot | undefined) => {
        clearTimeout(timer);
        waiting.delete(end);
        if (waiting.size === 0) waitingByWebhook.delete(webhookId);
        resolve(slot);
      };
      const check = () => {
        // A released slot is offered only to waiting deliveries of the same webhook. This repeated check finds slots
        // that other webhooks have released.
        const slot = acquire(webhook);
        if (slot !== undefined || !mayWaitOn()) return end(slot);
        timer = setTimeout(check, intervalMs());
      };
      let timer = setTimeout(check, intervalMs());
      waiting.add(end);
      waitingByWebhook.set(webhookId, waiting);
    });

  return {
    acquire: (webhook) => acquire(webhook),
    acquireAtWrite: (webhook) => (rendersLeft(webhook.workspaceId) > 0 ? acquire(webhook, true) : undefined),
    acquireSoon: async (webhook) => acquire(webhook) ?? wait(webhook),
    freeAtWrite: () => Math.max(0, shareOfOne(usage.atWrite.size) - usage.atWrite.byWorkspace.total()),
    queueQuota({ workspaceId, webhookId }) {
      const responsiveness = tracker.of(webhookId);
      const quota = queueQuotaOf(
        { workspaceId, responsiveness },
        { usage, backlogged: backlog.notResponsive.of(workspaceId) },
      );
      const shareOfRenders = rendersLeft(workspaceId) / Math.max(1, backlog.all.of(workspaceId));
      // The render budget can allow fewer deliveries than the workspace has webhooks. The share of each webhook is then
      // below 1, and would always be rounded down to 0. It is therefore rounded at random: the quotas of the webhooks
      // add up to the allowed number on average.
      return Math.min(quota, Math.floor(shareOfRenders + random()));
    },
    setBacklog(webhooks) {
      backlog = { all: createKeyedCounter(), notResponsive: createKeyedCounter() };
      for (const { workspaceId, webhookId } of webhooks) {
        backlog.all.add(workspaceId, 1);
        if (tracker.of(webhookId) !== 'responsive') backlog.notResponsive.add(workspaceId, 1);
      }
    },
    responsivenessOf: tracker.of,
    observe: tracker.observe,
    inUse: usage.byWebhook.total,
  };
}
