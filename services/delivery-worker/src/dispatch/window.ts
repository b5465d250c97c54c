import type { WebhookInWorkspace } from '@tocsin/deliveries';
import type { Slots } from '../slots/slots.js';

/**
 * Limits the deliveries in the queue to about one second of work of all workers; the rest of the backlog stays in the
 * database. The other workers are assumed to be as fast as this one. With this limit, a delivery usually waits for at
 * most a second in the queue, and a queued row is claimed before its lease expires. A place is the permit for one
 * delivery to be queued.
 */
export interface Window {
  /**
   * Acquires a place for one delivery. Returns false if the queue is full, if the webhook's quota is used up, if older
   * deliveries of the webhook wait in the database, or if the webhook is unknown (no response to its last request, or
   * none for 30 s). Requests to unknown webhooks can occupy their slots for long, so only the dispatcher queues their
   * deliveries, and it distributes the places among the workspaces.
   */
  acquire(webhook: WebhookInWorkspace): boolean;
  release(webhookId: string): void;
  /** Number of free places, not counting the extra places for webhooks that have nothing queued. */
  freePlaces(): number;
  /** True if the last observation found no unclaimed delivery in the queue and no place has been acquired since. */
  isEmpty(): boolean;
  /**
   * Number of free places for the dispatcher. The dispatcher may fill only a sixth of the window, so that a new retry
   * of another workspace does not wait behind a full queue.
   */
  freeDispatchPlaces(): number;
  /** Estimated number of attempts that all workers have recorded in the last second. */
  perSecond(): number;
  /** Must be called for each recorded attempt. The rate of these calls determines the size of the window. */
  finished(): void;
  /** Returns the webhooks for which `acquire` was called since the last call of `takeWanted`. */
  takeWanted(): WebhookInWorkspace[];
  /** Updates the window with the state that was read from the database. */
  observe(seen: QueueState): void;
}

export interface QueueState {
  /** Number of queued rows that no worker has claimed. */
  unclaimed: number;
  /** Number of queued rows of each webhook. */
  queuedByWebhook: Map<string, number>;
  /** Ids of the webhooks that `takeWanted` returned and that have due deliveries in the database. */
  backlogged: ReadonlySet<string>;
  /** Number of workers that share the queue. */
  workers: number;
}

export interface WindowOptions {
  /** Monotonic clock in milliseconds. */
  now: () => number;
  /** Returns the maximum number of a webhook's deliveries in the queue. */
  queueQuota: (webhook: WebhookInWorkspace) => number;
  /** Maximum number of requests that this worker has in flight. */
  slots: number;
  responsivenessOf: Slots['responsivenessOf'];
}

/**
 * Number of places for each worker while it records fewer attempts per second than this number, for example at the
 * start of a burst. A worker with fewer than 400 slots has one place for each slot. There is thus a slot for each
 * place, and a request ends after at most 20 s, so a queued row usually waits less than its lease of 45 s.
 */
const maxInitialPlaces = 400;
/**
 * Number of extra places for webhooks that have nothing queued, as a fraction of the initial places. If the window is
 * full, these webhooks use the extra places, so that their deliveries do not wait for the dispatcher.
 */
const extraPart = 1 / 2;
const maxPlaces = 10_000;
/**
 * Fraction of the window that a pass of the dispatcher may fill, rounded up to whole places. The next pass follows
 * about 50 ms later. With a larger fraction, retries wait longer in the queue. With a smaller one, the workers become
 * idle before a slow pass has ended: while the window is one second of work, a sixth lasts for 167 ms.
 */
const dispatchPart = 1 / 6;
/**
 * Time over which the rate of recorded attempts is measured, in milliseconds. With a longer time the window grows too
 * slowly at the start of a burst, and workers are idle.
 */
const spanMs = 1_000;

export function createWindow({ now, queueQuota, slots, responsivenessOf }: WindowOptions): Window {
  const minPlaces = Math.min(maxInitialPlaces, slots);
  const extraPlaces = Math.ceil(minPlaces * extraPart);
  let unclaimed = 0;
  let acquired = 0;
  let workers = 1;
  let queued = new Map<string, number>();
  let backlogged: ReadonlySet<string> = new Set();
  let wanted = new Map<string, WebhookInWorkspace>();
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
    return Math.min(maxPlaces, workers * Math.max(minPlaces, finishedBefore, finishedNow));
  };
  const left = () => Math.floor(places() - unclaimed - acquired);

  return {
    freePlaces: () => Math.max(0, left()),
    isEmpty: () => unclaimed === 0 && acquired === 0,
    freeDispatchPlaces: () => Math.max(0, Math.ceil(places() * dispatchPart) - unclaimed - acquired),
    perSecond: () => workers * Math.max(finishedBefore, finishedNow),
    acquire(webhook) {
      const { webhookId } = webhook;
      wanted.set(webhookId, webhook);
      if (responsivenessOf(webhookId) === 'unknown') return false;
      const ahead = queued.get(webhookId) ?? 0;
      // A webhook in `backlogged` has older deliveries in the database. A new delivery must not overtake them.
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
    takeWanted() {
      const taken = [...wanted.values()];
      wanted = new Map();
      return taken;
    },
    observe(seen) {
      ({ unclaimed, backlogged, workers, queuedByWebhook: queued } = seen);
      acquired = 0;
    },
  };
}
