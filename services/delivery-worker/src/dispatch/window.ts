import type { WebhookKey } from '../slots/slots.js';

/**
 * The queue is a bounded window on the backlog in the database. It holds about a second of work, so that a delivery
 * that has just become due is never far behind, and a queued row's lease always outlasts its wait.
 */
export interface Window {
  /** Takes a place for one delivery of a webhook; false where the queue, or the webhook's share of it, is full. */
  take(webhook: WebhookKey): boolean;
  giveBack(webhookId: string): void;
  /** Places left for any webhook. */
  room(): number;
  /** A delivery has been finished: the measure of what the window holds. */
  finished(): void;
  /** What the database says now: rows that are queued and that nobody has claimed, and rows queued by webhook. */
  observe(seen: { ready: number; queuedByWebhook: Map<string, number>; backlogged: Set<string> }): void;
}

export interface WindowOptions {
  now: () => number;
  /** How many of one webhook may be queued. */
  queueQuota: (webhook: WebhookKey) => number;
  /** Requests that this worker may have under way. */
  slots: number;
}

/**
 * On a first burst nothing is known of the rate yet: as many as the worker has slots, and no more, or with few slots
 * and slow destinations a row would wait longer than its lease. A slot is free again after ten seconds.
 */
const minPlacesAtMost = 400;
/** Beyond a full window, for webhooks that have nothing in the queue: who is quiet need not wait for the dispatcher. */
const partForTheQuiet = 1 / 2;
const maxPlaces = 10_000;
const secondsOfWork = 1;
/** The rate is measured over this long; a longer span would starve the workers while a burst begins. */
const spanMs = 1_000;

export function createWindow({ now, queueQuota, slots }: WindowOptions): Window {
  const minPlaces = Math.min(minPlacesAtMost, slots);
  const placesForTheQuiet = Math.ceil(minPlaces * partForTheQuiet);
  let ready = 0;
  let sent = 0;
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
    const perSecond = (Math.max(finishedBefore, finishedNow) / spanMs) * 1_000;
    return Math.min(maxPlaces, Math.max(minPlaces, perSecond * secondsOfWork));
  };
  const left = () => Math.floor(places() - ready - sent);
  const room = () => Math.max(0, left());

  return {
    room,
    take(webhook) {
      const { webhookId } = webhook;
      const ahead = queued.get(webhookId) ?? 0;
      // Where older ones of the webhook wait, a new one waits behind them.
      if (backlogged.has(webhookId) || ahead >= queueQuota(webhook)) return false;
      if (left() <= (ahead === 0 ? -placesForTheQuiet : 0)) return false;
      queued.set(webhookId, ahead + 1);
      sent += 1;
      return true;
    },
    giveBack(webhookId) {
      queued.set(webhookId, Math.max(0, (queued.get(webhookId) ?? 0) - 1));
      sent = Math.max(0, sent - 1);
    },
    finished() {
      finishedNow += 1;
    },
    observe(seen) {
      ready = seen.ready;
      queued = seen.queuedByWebhook;
      backlogged = seen.backlogged;
      sent = 0;
    },
  };
}
