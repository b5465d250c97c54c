import { createStandings, type Standing } from './standing.js';

/**
 * Requests under way, bounded for each webhook and in all. A webhook that has answered lately may have many; one that
 * has not shown yet that it answers may have few, and all such together at most an eighth, so that destinations that
 * hang cannot take the healthy ones' places, nor come to their time-outs by the hundred at once. What is left up to
 * three quarters is for those that answer slowly and for first requests, so that a webhook that is new is heard beside
 * many that hang; the last quarter is for the quick alone.
 */
export interface Slots {
  /** Undefined where there is none to be had now. */
  take(webhookId: string): Slot | undefined;
  /**
   * For a delivery that is only being written (docs/adr/0035). Such may have three quarters of the slots, for what comes
   * from the queue wants some too, and one beyond for a webhook that answers and has none, which would wait in the queue
   * behind all that a loud one has there. Of a webhook that is not known to be quick one at a time; of those that have not shown that they
   * answer in a quarter of those.
   */
  takeEarly(webhookId: string): Slot | undefined;
  /** How many more could be taken early. */
  early(): number;
  /**
   * Waits a moment where there is none now: a webhook that answers gives one back within milliseconds, and putting a
   * delivery back costs a commit and most of a second. Undefined where the moment has passed.
   */
  takeSoon(webhookId: string): Promise<Slot | undefined>;
  /**
   * How many of a webhook's deliveries are worth having in the queue. What would find no slot there is claimed and given
   * back in a circle, so webhooks that have not shown that they answer share what such may have.
   */
  shareOf(webhookId: string): number;
  /** Those that have deliveries waiting now. */
  backlogged(webhookIds: Iterable<string>): void;
  /** Whether a webhook's destination has answered lately. */
  isProven(webhookId: string): boolean;
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

const provenLimit = 256;
/** One that answers is waited for so many times longer, and again while it answers: it will give a slot back. */
const provenPatience = 5;
/** A claim's lease must leave time for the request. */
const maxWaitMs = 5_000;
const unprovenLimit = 8;
const unprovenPart = 1 / 8;
/** Of all that are not quick: slow, or making their first request. */
const unquickPart = 3 / 4;
/** Of webhooks that have some already: the rest is for first ones, so that a loud one's storm is no quiet one's wait. */
const busyPart = 15 / 16;
const earlyPart = 3 / 4;
/** Of those that may be taken early. */
const earlyUnquickPart = 1 / 4;
const provenShare = 1_000;
/** Soon enough to use a slot that has become free; where nothing answers, none does before a time-out. */
const provenPauseMs = 750;
const unprovenPauseMs = 3_000;

export function createSlots({ total, now, waitMs = 100 }: SlotsOptions): Slots {
  const standings = createStandings(now);
  const taken = new Map<string, number>();
  const waiting = new Map<string, Set<(slot: Slot) => void>>();
  const earlyTotal = Math.ceil(total * earlyPart);
  /** Slots of those webhooks that had not shown that they answer when they took them. */
  const unprovenTaken = new Map<string, number>();
  let unprovenBacklogged = 0;
  const counts = { all: 0, unproven: 0, unquick: 0, early: 0, earlyUnquick: 0 };

  const count = ({ webhookId, proven, quick, early }: Holder, change: 1 | -1) => {
    counts.all += change;
    if (!proven) {
      counts.unproven += change;
      addTo(unprovenTaken, webhookId, change);
    }
    if (!quick) counts.unquick += change;
    if (early) counts.early += change;
    if (early && !quick) counts.earlyUnquick += change;
  };
  const hasRoom = ({ webhookId, proven, quick }: Holder) => {
    const ahead = taken.get(webhookId) ?? 0;
    if (counts.all >= (ahead === 0 ? total : total * busyPart)) return false;
    if (ahead >= (proven ? provenLimit : unprovenLimit)) return false;
    if (!quick && counts.unquick >= total * unquickPart) return false;
    return proven || ahead === 0 || counts.unproven < total * unprovenPart;
  };
  const hasEarlyRoom = ({ webhookId, proven, quick }: Holder) => {
    const isLone = !taken.has(webhookId);
    if (isLone && proven) return true;
    if (counts.early >= earlyTotal) return false;
    return quick || (isLone && counts.earlyUnquick < earlyTotal * earlyUnquickPart);
  };
  const occupy = (holder: Holder): Slot => {
    const { webhookId } = holder;
    let isOver = false;
    const leave = () => {
      if (isOver) return;
      isOver = true;
      count(holder, -1);
      addTo(taken, webhookId, -1);
      wake(webhookId);
    };
    count(holder, 1);
    addTo(taken, webhookId, 1);
    return {
      release(answeredMs) {
        standings.heard(webhookId, answeredMs);
        leave();
      },
      giveBack: leave,
    };
  };
  const holderOf = (webhookId: string, early: boolean): Holder => {
    const { proven, quick } = standings.of(webhookId);
    return { webhookId, proven, quick, early };
  };
  const take = (webhookId: string): Slot | undefined => {
    const holder = holderOf(webhookId, false);
    return hasRoom(holder) ? occupy(holder) : undefined;
  };
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
      const patience = () => (standings.of(webhookId).proven ? provenPatience * waitMs : waitMs);
      const expire = () => {
        const isSilent = standings.answeredAgoMs(webhookId) > patience();
        if (isSilent || now() - startedAt > maxWaitMs) return end(undefined);
        timer = setTimeout(expire, patience());
      };
      let timer = setTimeout(expire, patience());
      waiters.add(end);
    });

  return {
    take,
    takeEarly(webhookId) {
      const holder = holderOf(webhookId, true);
      return hasEarlyRoom(holder) && hasRoom(holder) ? occupy(holder) : undefined;
    },
    early: () => Math.max(0, earlyTotal - counts.early),
    takeSoon: async (webhookId) => take(webhookId) ?? wait(webhookId),
    shareOf(webhookId) {
      if (standings.of(webhookId).proven) return provenShare;
      const sharers = Math.max(1, unprovenTaken.size, unprovenBacklogged);
      return Math.max(1, Math.min(unprovenLimit, Math.floor((total * unprovenPart) / sharers)));
    },
    backlogged(webhookIds) {
      unprovenBacklogged = [...webhookIds].filter((webhookId) => !standings.of(webhookId).proven).length;
    },
    isProven: (webhookId) => standings.of(webhookId).proven,
    pauseMs: (webhookId) => (standings.of(webhookId).proven ? provenPauseMs : unprovenPauseMs),
    taken: () => counts.all,
  };
}

function addTo(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

/** Who takes a slot, as it stood then: the same is counted when the slot is free again. */
interface Holder extends Standing {
  webhookId: string;
  early: boolean;
}
