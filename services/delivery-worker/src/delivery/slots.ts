import { LRUCache } from 'lru-cache';

/**
 * Requests under way, bounded for each webhook and in all. A webhook that has answered lately may have many; one that
 * has not shown yet that it answers may have few, and all such together at most half, so that destinations that hang
 * cannot take the healthy ones' places. A quarter beyond that half is for those that answer slowly and for first
 * requests, so that a webhook that is new is heard beside many that hang; the last quarter is for the quick alone.
 */
export interface Slots {
  /** Undefined where there is none to be had now. */
  take(webhookId: string): Slot | undefined;
  /**
   * For a delivery that is only being written (docs/adr/0035). Such may have half of the slots, for what comes from the
   * queue wants some too; and of a webhook that is not known to be quick one at a time, in a quarter of that half.
   */
  takeEarly(webhookId: string): Slot | undefined;
  /** How many more could be taken early. */
  early(): number;
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

export interface Slot {
  /** How long the destination took to answer, in milliseconds; undefined where it gave no answer of its own, or is in trouble. */
  release(answeredMs: number | undefined): void;
  /** Where nothing was sent; it tells nothing of the destination. Does nothing once it has been released. */
  giveBack(): void;
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
/** Of all that are not quick: slow, or making their first request. */
const unquickPart = 3 / 4;
const quickMs = 500;
const earlyPart = 1 / 2;
/** Of those that may be taken early. */
const earlyUnquickPart = 1 / 4;
const provenShare = 1_000;
/** No more than any one worker can send: the rest would be claimed and given back in a circle. */
const unprovenShare = unprovenLimit;
/** Soon enough to use a slot that has become free; where nothing answers, none does before a time-out. */
const provenPauseMs = 750;
const unprovenPauseMs = 3_000;
const maxWebhooks = 20_000;

export function createSlots({ total, now, waitMs = 100 }: SlotsOptions): Slots {
  const taken = new Map<string, number>();
  const answers = new LRUCache<string, Answer>({ max: maxWebhooks });
  const earlyTotal = Math.ceil(total * earlyPart);
  const count = { all: 0, unproven: 0, unquick: 0, early: 0, earlyUnquick: 0 };

  const answeredAgo = (webhookId: string) =>
    now() - (answers.get(webhookId)?.atMs ?? Number.NEGATIVE_INFINITY);
  const isProven = (webhookId: string) => answeredAgo(webhookId) < provenForMs;
  const isQuick = (webhookId: string) => isProven(webhookId) && answers.get(webhookId)!.tookMs < quickMs;

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
        if (answeredAgo(webhookId) > patience() || now() - startedAt > maxWaitMs) return end(undefined);
        timer = setTimeout(expire, patience());
      };
      let timer = setTimeout(expire, patience());
      waiters.add(end);
    });

  const hasRoom = (webhookId: string, { proven, quick }: Standing) => {
    const ahead = taken.get(webhookId) ?? 0;
    if (count.all >= total || ahead >= (proven ? provenLimit : unprovenLimit)) return false;
    if (!quick && count.unquick >= total * unquickPart) return false;
    return proven || ahead === 0 || count.unproven < total * unprovenPart;
  };
  const hasEarlyRoom = (webhookId: string, { quick }: Standing) => {
    if (count.early >= earlyTotal) return false;
    return quick || (!taken.has(webhookId) && count.earlyUnquick < earlyTotal * earlyUnquickPart);
  };
  const standingOf = (webhookId: string, early: boolean): Standing => {
    const quick = isQuick(webhookId);
    return { proven: isProven(webhookId), quick, early };
  };
  const add = ({ proven, quick, early }: Standing, change: 1 | -1) => {
    count.all += change;
    if (!proven) count.unproven += change;
    if (!quick) count.unquick += change;
    if (early) count.early += change;
    if (early && !quick) count.earlyUnquick += change;
  };
  const occupy = (webhookId: string, standing: Standing): Slot => {
    add(standing, 1);
    taken.set(webhookId, (taken.get(webhookId) ?? 0) + 1);
    let isOver = false;
    const leave = () => {
      if (isOver) return;
      isOver = true;
      add(standing, -1);
      const left = (taken.get(webhookId) ?? 1) - 1;
      if (left === 0) taken.delete(webhookId);
      else taken.set(webhookId, left);
      wake(webhookId);
    };
    return {
      release(answeredMs) {
        if (answeredMs === undefined) answers.delete(webhookId);
        else answers.set(webhookId, { atMs: now(), tookMs: answeredMs });
        leave();
      },
      giveBack: leave,
    };
  };
  const take = (webhookId: string): Slot | undefined => {
    const standing = standingOf(webhookId, false);
    return hasRoom(webhookId, standing) ? occupy(webhookId, standing) : undefined;
  };

  return {
    take,
    takeEarly(webhookId) {
      const standing = standingOf(webhookId, true);
      const room = hasEarlyRoom(webhookId, standing) && hasRoom(webhookId, standing);
      return room ? occupy(webhookId, standing) : undefined;
    },
    early: () => earlyTotal - count.early,
    takeSoon: async (webhookId) => take(webhookId) ?? wait(webhookId),
    shareOf: (webhookId) => (isProven(webhookId) ? provenShare : unprovenShare),
    pauseMs: (webhookId) => (isProven(webhookId) ? provenPauseMs : unprovenPauseMs),
    taken: () => count.all,
  };
}

/** What a webhook was when its slot was taken, so that the same is counted when it is free again. */
interface Standing {
  proven: boolean;
  quick: boolean;
  early: boolean;
}

interface Answer {
  atMs: number;
  tookMs: number;
}
