import type { WebhookKey } from '../slots/slots.js';

/**
 * Limits the deliveries in the queue to about one second of work; the rest of the backlog stays in the database. A
 * delivery that becomes due is never far behind, and the lease of a queued row outlasts its wait. A place is the permit for
 * one delivery to be queued.
 */
export interface Window {
  /** Acquires a place for one delivery. False if the queue or the webhook's quota is full. */
  acquire(webhook: WebhookKey): boolean;
  release(webhookId: string): void;
  /** Number of free places. */
  room(): number;
  /** Number of free places for the dispatcher: a third of a second of work, because a retry of a quiet workspace waits behind it. */
  dispatchRoom(): number;
  /** Deliveries that ended in the last second. */
  perSecond(): number;
  /** Call it for each delivery that has ended. The rate of these calls determines the size of the window. */
  finished(): void;
  /**
   * Sets the state as the database knows it: rows that are queued and not claimed (`ready`), and the number of queued rows
   * of each webhook.
   */
  observe(seen: { ready: number; queuedByWebhook: Map<string, number> }): void;
  /** Sets the webhooks that have deliveries due in the database, according to the last pass of the dispatcher. */
  setBacklog(webhooks: Iterable<WebhookKey>): void;
}

export interface WindowOptions {
  /** Milliseconds on a monotonic clock. */
  now: () => number;
  /** Number of a webhook's deliveries that may be queued. */
  queueQuota: (webhook: WebhookKey) => number;
  /** Requests that this worker can have in flight. */
  slots: number;
}

/**
 * Number of places while the rate is unknown, as at the start of a burst; a worker with fewer slots has fewer places.
 * With slow destinations a slot is free again after ten seconds, and a queued row must not wait longer than its lease.
 */
const maxInitialPlaces = 400;
/** Places beyond a full window for webhooks that have nothing queued, so that they need not wait for the dispatcher. */
const extraPart = 1 / 2;
const maxPlaces = 10_000;
/** Part of the places that a pass of the dispatcher fills, at least one place. The next pass follows after 50 ms. */
const dispatchPart = 1 / 3;
/** Time over which the rate is measured. A longer time would leave workers idle at the start of a burst. */
const spanMs = 1_000;

export function createWindow({ now, queueQuota, slots }: WindowOptions): Window {
  const minPlaces = Math.min(maxInitialPlaces, slots);
  const extraPlaces = Math.ceil(minPlaces * extraPart);
  let ready = 0;
  let acquired = 0;
  let queued = new Map<string, number>();
  let backlogged = new Set<string>();
  let finishedBefore = 0;
  let finishedNow = 0;
  let spanStartedMs = now();

  const places = () => {
    const elapsedMs = now() - spanStartedMs;
    if (elapsedMs >= spanMs) {
      finishedBefore = (finishedNow * spanMs) / elapsedMs;
      finishedNow = 0;
      spanStartedMs = now();
    }
    return Math.min(maxPlaces, Math.max(minPlaces, finishedBefore, finishedNow));
  };
  const left = () => Math.floor(places() - ready - acquired);

  return {
    room: () => Math.max(0, left()),
    dispatchRoom: () => Math.max(0, Math.ceil(places() * dispatchPart) - ready - acquired),
    perSecond: () => Math.max(finishedBefore, finishedNow),
    acquire(webhook) {
      const { webhookId } = webhook;
      const ahead = queued.get(webhookId) ?? 0;
      // A new delivery must not overtake older ones of its webhook.
      if (backlogged.has(webhookId) || ahead >= queueQuota(webhook)) return false;
      if (left() <= (ahead === 0 ? -extraPlaces : 0)) return false;
      queued.set(webhookId, ahead + 1);
      acquired += 1;
      return true;
    },
    release(webhookId) {
      queued.set(webhookId, Math.max(0, (queued.get(webhookId) ?? 0) - 1));
      acquired = Math.max(0, acquired - 1);
    },
    finished() {
      finishedNow += 1;
    },
    observe(seen) {
      ready = seen.ready;
      queued = seen.queuedByWebhook;
      acquired = 0;
    },
    setBacklog(webhooks) {
      backlogged = new Set(Array.from(webhooks, ({ webhookId }) => webhookId));
    },
  };
}
