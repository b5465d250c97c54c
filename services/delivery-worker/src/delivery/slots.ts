import { LRUCache } from 'lru-cache';

/**
 * Requests under way, bounded for each webhook and in all. A webhook that has answered lately may have many; one that
 * has not shown yet that it answers may have few, and all such together at most half, so that destinations that hang
 * cannot take the healthy ones' places. A quarter beyond that half is for their first requests alone, so that a webhook
 * that is new is heard beside many that hang.
 */
export interface Slots {
  /** Undefined where there is none to be had now. */
  take(webhookId: string): Slot | undefined;
  /**
   * Waits a moment where there is none now: a webhook that answers gives one back within milliseconds, and putting a
   * delivery back costs a commit and most of a second. Undefined where the moment has passed.
   */
  takeSoon(webhookId: string): Promise<Slot | undefined>;
  /** How many of a webhook's deliveries are worth having in the queue. */
  shareOf(webhookId: string): number;
  /** How long a delivery that found no slot should wait, in milliseconds, before it comes again. */
  pauseMs(webhookId: string): number;
  taken(): number;
}

interface Slot {
  /** `answered` tells that the destination gave an answer of its own and is not in trouble. */
  release(answered: boolean): void;
}

export interface SlotsOptions {
  total: number;
  now: () => number;
  /** How long `takeSoon` waits for a webhook that has not shown that it answers, in milliseconds. */
  waitMs?: number;
}

const provenForMs = 30_000;
const provenLimit = 128;
/** One that answers is waited for so many times longer, and again while it answers: it will give a slot back. */
const provenPatience = 5;
/** A claim's lease must leave time for the request. */
const maxWaitMs = 5_000;
const unprovenLimit = 8;
const unprovenPart = 1 / 2;
const unprovenFirstPart = 3 / 4;
const provenShare = 1_000;
/** No more than any one worker can send: the rest would be claimed and given back in a circle. */
const unprovenShare = unprovenLimit;
/** Soon enough to use a slot that has become free; where nothing answers, none does before a time-out. */
const provenPauseMs = 750;
const unprovenPauseMs = 3_000;
const maxWebhooks = 20_000;

export function createSlots({ total, now, waitMs = 100 }: SlotsOptions): Slots {
  const taken = new Map<string, number>();
  const answeredAt = new LRUCache<string, number>({ max: maxWebhooks });
  let all = 0;
  let unproven = 0;

  const isProven = (webhookId: string) =>
    now() - (answeredAt.get(webhookId) ?? Number.NEGATIVE_INFINITY) < provenForMs;

  const waiting = new Map<string, Set<(slot: Slot) => void>>();

  const wake = (webhookId: string) => {
    for (const wakeOne of waiting.get(webhookId) ?? []) {
      const slot = take(webhookId);
      if (slot === undefined) return;
      wakeOne(slot);
    }
  };
  const wait = (webhookId: string) =>
    new Promise<Slot | undefined>((resolve) => {
      const waiters = waiting.get(webhookId) ?? new Set();
      waiting.set(webhookId, waiters);
      const end = (slot: Slot | undefined) => {
        clearTimeout(timer);
        waiters.delete(end);
        if (waiters.size === 0) waiting.delete(webhookId);
        resolve(slot);
      };
      const startedAt = now();
      const patience = () => (isProven(webhookId) ? provenPatience * waitMs : waitMs);
      const expire = () => {
        const answered = answeredAt.get(webhookId) ?? Number.NEGATIVE_INFINITY;
        if (now() - answered > patience() || now() - startedAt > maxWaitMs) return end(undefined);
        timer = setTimeout(expire, patience());
      };
      let timer = setTimeout(expire, patience());
      waiters.add(end);
    });
  const take = (webhookId: string): Slot | undefined => {
    const proven = isProven(webhookId);
    const ahead = taken.get(webhookId) ?? 0;
    if (all >= total || ahead >= (proven ? provenLimit : unprovenLimit)) return undefined;
    if (!proven && unproven >= total * (ahead === 0 ? unprovenFirstPart : unprovenPart)) return undefined;
    all += 1;
    if (!proven) unproven += 1;
    taken.set(webhookId, ahead + 1);
    return {
      release(answered) {
        all -= 1;
        if (!proven) unproven -= 1;
        const left = (taken.get(webhookId) ?? 1) - 1;
        if (left === 0) taken.delete(webhookId);
        else taken.set(webhookId, left);
        if (answered) answeredAt.set(webhookId, now());
        else answeredAt.delete(webhookId);
        wake(webhookId);
      },
    };
  };

  return {
    take,
    takeSoon: async (webhookId) => take(webhookId) ?? wait(webhookId),
    shareOf: (webhookId) => (isProven(webhookId) ? provenShare : unprovenShare),
    pauseMs: (webhookId) => (isProven(webhookId) ? provenPauseMs : unprovenPauseMs),
    taken: () => all,
  };
}
