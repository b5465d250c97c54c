import { createPool, createTally } from './slot-pool.js';
import { createStandings } from './standing.js';

/**
 * Requests under way, bounded for each webhook, for each workspace and in all. A webhook that has answered lately may
 * have many; one that has not shown yet that it answers may have few, and all such together at most an eighth, so that
 * destinations that hang cannot take the healthy ones' places, nor come to their time-outs by the hundred at once. What
 * is left up to three quarters is for those that answer slowly and for first requests, so that a webhook that is new is
 * heard beside many that hang; the last quarter is for the quick alone. Of both, of all and of those three quarters, a
 * workspace has at most fifteen sixteenths of what the others leave, however many its webhooks are (docs/adr/0044).
 */
export interface Slots {
  /** Undefined where there is none to be had now. */
  take(taker: Taker): Slot | undefined;
  /**
   * For a delivery that is only being written (docs/adr/0035). Such may have three quarters of the slots, for what comes
   * from the queue wants some too, and one beyond for a webhook that answers and has none, which would wait in the queue
   * behind all that a loud one has there. Of a webhook that is not known to be quick one at a time; of those that have not shown that they
   * answer in a quarter of those.
   */
  takeEarly(taker: Taker): Slot | undefined;
  /** How many more could be taken early. */
  early(): number;
  /**
   * Waits a moment where there is none now: a webhook that answers soon gives one back within milliseconds, and putting a
   * delivery back costs a commit and most of a second. Undefined where the moment has passed.
   */
  takeSoon(taker: Taker): Promise<Slot | undefined>;
  /**
   * How many of a webhook's deliveries are worth having in the queue. What would find no slot there is claimed and given
   * back in a circle, so webhooks that have not shown that they answer share what such may have, and those of a workspace
   * that answer slowly what it may have.
   */
  shareOf(webhookId: string): number;
  /** Those that have deliveries waiting now. */
  backlogged(webhookIds: Iterable<string>): void;
  /** Whether a webhook's destination has answered lately. */
  isProven(webhookId: string): boolean;
  /** Whether its body takes long to render. Such have few slots, which they hold while they wait for their turn. */
  isDear(webhookId: string): boolean;
  /** Told how many milliseconds a webhook's body took to render. */
  rendered(webhookId: string, tookMs: number): void;
  /** How long a delivery that found no slot should wait, in milliseconds, before it comes again. */
  pauseMs(webhookId: string): number;
  taken(): number;
}

/** Whose request it is. */
export interface Taker {
  workspaceId: string;
  webhookId: string;
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
  /** How long `takeSoon` waits for a webhook that has not shown that it answers soon, in milliseconds. */
  waitMs?: number;
}

const provenLimit = 256;
/** One that answers soon is waited for so many times longer, and again while it answers: it will give a slot back. */
const quickPatience = 5;
/** A claim's lease must leave time for the request. */
const maxWaitMs = 5_000;
const unprovenLimit = 8;
const dearLimit = 8;
const unprovenPart = 1 / 8;
/** Of all that are not quick: slow, or making their first request. */
const unquickPart = 3 / 4;
/** Of what the other workspaces leave, a workspace's: for those of its webhooks that have some already, and for first ones. */
const workspacePart = 15 / 16;
const workspaceFirstPart = 31 / 32;
const earlyPart = 3 / 4;
/** Of those that may be taken early. */
const earlyUnquickPart = 1 / 4;
const quickShare = 1_000;
/** Soon enough to use a slot that has become free; where nothing answers, none does before a time-out. */
const provenPauseMs = 750;
const unprovenPauseMs = 3_000;

export function createSlots({ total, now, waitMs = 100 }: SlotsOptions): Slots {
  const standings = createStandings(now);
  const taken = createTally();
  const waiting = new Map<string, Set<(slot: Slot) => void>>();
  const all = createPool(total);
  const unquick = createPool(total * unquickPart);
  const earlyTotal = Math.ceil(total * earlyPart);
  /** Slots of those webhooks that had not shown that they answer, or that they do soon, when they took them. */
  const unprovenTaken = createTally();
  const unquickTaken = createTally();
  /** How many webhooks of a workspace have such slots, and how many that answer slowly have deliveries waiting. */
  const unquickWebhooks = createTally();
  let slowBacklogged = createTally();
  let unprovenBacklogged = 0;
  const counts = { early: 0, earlyUnquick: 0 };

  const count = ({ webhookId, workspaceId, proven, quick, early }: Holder, change: 1 | -1) => {
    taken.add(webhookId, change);
    all.add(workspaceId, change);
    if (!proven) unprovenTaken.add(webhookId, change);
    if (!quick) {
      unquick.add(workspaceId, change);
      const webhooksBefore = unquickTaken.size();
      unquickTaken.add(webhookId, change);
      unquickWebhooks.add(workspaceId, unquickTaken.size() - webhooksBefore);
    }
    if (early) counts.early += change;
    if (early && !quick) counts.earlyUnquick += change;
  };
  const limitOf = (webhookId: string) => {
    const { proven, dear } = standings.of(webhookId);
    if (!proven) return unprovenLimit;
    return dear ? dearLimit : provenLimit;
  };
  const hasRoom = ({ webhookId, workspaceId, proven, quick }: Holder) => {
    const ahead = taken.of(webhookId);
    if (ahead >= limitOf(webhookId)) return false;
    const part = ahead === 0 ? workspaceFirstPart : workspacePart;
    if (!all.hasRoom(workspaceId, part)) return false;
    if (!quick && !unquick.hasRoom(workspaceId, part)) return false;
    return proven || ahead === 0 || unprovenTaken.sum() < total * unprovenPart;
  };
  const hasEarlyRoom = ({ webhookId, proven, quick }: Holder) => {
    const isLone = taken.of(webhookId) === 0;
    if (isLone && proven) return true;
    if (counts.early >= earlyTotal) return false;
    return quick || (isLone && counts.earlyUnquick < earlyTotal * earlyUnquickPart);
  };
  const occupy = (holder: Holder): Slot => {
    let isOver = false;
    const leave = () => {
      if (isOver) return;
      isOver = true;
      count(holder, -1);
      wake(holder);
    };
    count(holder, 1);
    return {
      release(answeredMs) {
        standings.heard(holder, answeredMs);
        leave();
      },
      giveBack: leave,
    };
  };
  const holderOf = ({ webhookId, workspaceId }: Taker, early: boolean): Holder => {
    const { proven, quick } = standings.of(webhookId);
    return { webhookId, workspaceId, proven, quick, early };
  };
  const take = (taker: Taker): Slot | undefined => {
    const holder = holderOf(taker, false);
    return hasRoom(holder) ? occupy(holder) : undefined;
  };
  const wake = (taker: Taker) => {
    for (const wakeOne of waiting.get(taker.webhookId) ?? []) {
      const slot = take(taker);
      if (slot === undefined) return;
      wakeOne(slot);
    }
  };
  const wait = (taker: Taker) =>
    new Promise<Slot | undefined>((resolve) => {
      const { webhookId } = taker;
      const waiters = waiting.get(webhookId) ?? new Set();
      waiting.set(webhookId, waiters);
      const end = (slot: Slot | undefined) => {
        clearTimeout(timer);
        waiters.delete(end);
        if (waiters.size === 0) waiting.delete(webhookId);
        resolve(slot);
      };
      const startedAt = now();
      const patience = () => (standings.of(webhookId).quick ? quickPatience * waitMs : waitMs);
      const expire = () => {
        // Another webhook may have made room, which wakes nobody here.
        const slot = take(taker);
        if (slot !== undefined) return end(slot);
        const isSilent = standings.answeredAgoMs(webhookId) > patience();
        const isSlow = !standings.of(webhookId).quick;
        if (isSilent || isSlow || now() - startedAt > maxWaitMs) return end(undefined);
        timer = setTimeout(expire, patience());
      };
      let timer = setTimeout(expire, patience());
      waiters.add(end);
    });
  const unprovenShare = () => {
    const sharers = Math.max(1, unprovenTaken.size(), unprovenBacklogged);
    return Math.min(unprovenLimit, (total * unprovenPart) / sharers);
  };
  const slowShare = (webhookId: string, workspaceId: string) => {
    const sharers = Math.max(1, unquickWebhooks.of(workspaceId), slowBacklogged.of(workspaceId));
    // A few more than it may have slots, to be there when one becomes free.
    return Math.min(limitOf(webhookId), unquick.leftTo(workspaceId) / sharers);
  };

  return {
    take,
    takeEarly(taker) {
      const holder = holderOf(taker, true);
      return hasEarlyRoom(holder) && hasRoom(holder) ? occupy(holder) : undefined;
    },
    early: () => Math.max(0, earlyTotal - counts.early),
    takeSoon: async (taker) => take(taker) ?? wait(taker),
    shareOf(webhookId) {
      const { quick, workspaceId } = standings.of(webhookId);
      if (quick) return quickShare;
      const share = workspaceId === undefined ? unprovenShare() : slowShare(webhookId, workspaceId);
      return Math.max(1, Math.floor(share));
    },
    backlogged(webhookIds) {
      unprovenBacklogged = 0;
      slowBacklogged = createTally();
      for (const webhookId of webhookIds) {
        const { quick, workspaceId } = standings.of(webhookId);
        if (workspaceId === undefined) unprovenBacklogged += 1;
        else if (!quick) slowBacklogged.add(workspaceId, 1);
      }
    },
    isProven: (webhookId) => standings.of(webhookId).proven,
    isDear: (webhookId) => standings.of(webhookId).dear,
    rendered: standings.rendered,
    pauseMs: (webhookId) => (standings.of(webhookId).proven ? provenPauseMs : unprovenPauseMs),
    taken: () => all.taken(),
  };
}

/** Who takes a slot, as its webhook stood then: the same is counted when the slot is free again. */
interface Holder extends Taker {
  proven: boolean;
  quick: boolean;
  early: boolean;
}
