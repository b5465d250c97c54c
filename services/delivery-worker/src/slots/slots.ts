import { mayAcquire, queueQuotaOf, shareOfOne, slotsAtWrite } from './slot-limits.js';
import {
  createKeyedCounter,
  createResponsivenessTracker,
  createSlotUsage,
  type Responsiveness,
  type SlotRequest,
} from './slot-usage.js';

/** Permits for requests in flight, limited by webhook, by workspace and in total (see slot-limits.ts). */
export interface Slots {
  /** Acquires a slot; undefined if the limits allow none now. */
  acquire(webhook: WebhookKey): Slot | undefined;
  /**
   * Acquires a slot for a delivery that is claimed in the transaction that writes it; undefined if the limits allow
   * none now.
   */
  acquireAtWrite(webhook: WebhookKey): Slot | undefined;
  /**
   * Waits for a slot, because a release and a further claim cost far more than the few milliseconds until a responsive
   * webhook frees one. Undefined after 100 ms; for a responsive webhook after 500 ms without a response, or after 5 s.
   */
  acquireSoon(webhook: WebhookKey): Promise<Slot | undefined>;
  /** Number of slots that one workspace can still acquire for deliveries that are claimed at write. */
  freeAtWrite(): number;
  /** Number of a webhook's deliveries that may be queued at a time; 0 only for a workspace over its render budget. */
  queueQuota(webhook: WebhookKey): number;
  /** Sets the webhooks that have deliveries waiting; those of a workspace share its queue quota. */
  setBacklog(webhooks: Iterable<WebhookKey>): void;
  responsivenessOf(webhookId: string): Responsiveness;
  /** Records the duration of a request; undefined for a request that failed because of the destination. */
  observe(webhookId: string, durationMs: number | undefined): void;
  /** Number of slots in use. */
  inUse(): number;
}

export type WebhookKey = Pick<SlotRequest, 'workspaceId' | 'webhookId'>;

export interface Slot {
  /** A second call does nothing. */
  release(): void;
}

export interface SlotsOptions {
  total: number;
  /** Milliseconds on a monotonic clock. */
  now: () => number;
  /** Number of further deliveries of a workspace that its render budget allows; unlimited within the budget. */
  renderRoom?: (workspaceId: string) => number;
  /** Returns a random number from 0 to 1. */
  random?: () => number;
  /** Longest wait of `acquireSoon` for a webhook that is not responsive, in milliseconds. Default: 100. */
  waitMs?: number;
}

/** A responsive webhook frees a slot soon: its deliveries wait five times as long, and longer while responses come. */
const responsiveWaitFactor = 5;
/** Longest wait in total, in milliseconds: the lease of a waiting delivery must leave time for the request. */
const maxWaitMs = 5_000;

export function createSlots(options: SlotsOptions): Slots {
  const { total, now, waitMs = 100, random = Math.random } = options;
  const { renderRoom = () => Number.POSITIVE_INFINITY } = options;
  const usage = createSlotUsage({ total, atWrite: slotsAtWrite(total) });
  const tracker = createResponsivenessTracker(now);
  const waitingByWebhook = new Map<string, Set<(slot: Slot) => void>>();
  /** Number of webhooks with deliveries waiting, by workspace. */
  let backlog = { all: createKeyedCounter(), notResponsive: createKeyedCounter() };

  const acquire = (webhook: WebhookKey, atWrite = false): Slot | undefined => {
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
  const grantWaiting = (webhook: WebhookKey) => {
    for (const grant of waitingByWebhook.get(webhook.webhookId) ?? []) {
      const slot = acquire(webhook);
      if (slot === undefined) return;
      grant(slot);
    }
  };
  const wait = (webhook: WebhookKey) =>
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
        // A slot that another webhook has released grants nothing here, so the limits are checked again.
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
    acquireAtWrite: (webhook) => (renderRoom(webhook.workspaceId) > 0 ? acquire(webhook, true) : undefined),
    acquireSoon: async (webhook) => acquire(webhook) ?? wait(webhook),
    freeAtWrite: () => Math.max(0, shareOfOne(usage.atWrite.size) - usage.atWrite.byWorkspace.total()),
    queueQuota({ workspaceId, webhookId }) {
      const responsiveness = tracker.of(webhookId);
      const quota = queueQuotaOf(
        { workspaceId, responsiveness },
        { usage, backlogged: backlog.notResponsive.of(workspaceId) },
      );
      const room = renderRoom(workspaceId) / Math.max(1, backlog.all.of(workspaceId));
      // Random rounding: when a workspace has room for fewer deliveries than it has webhooks, the quotas of its
      // webhooks add up to the room on average.
      return Math.min(quota, Math.floor(room + random()));
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
