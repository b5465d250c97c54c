import { createOccupancy, type Holder } from './occupancy.js';
import { createSlotLine } from './slot-line.js';
import { earlyLeft, hasEarlyRoom, hasRoom } from './slot-rules.js';
import { createSlotShares } from './slot-shares.js';
import { createStandings } from './standing.js';

/** Requests under way, bounded for each webhook, for each workspace and in all: by what slot-rules.ts says. */
export interface Slots {
  /** Undefined where there is none to be had now. */
  take(taker: Taker): Slot | undefined;
  /** For a delivery that is only being written, within the narrower bounds of `hasEarlyRoom`. */
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
export type Taker = Pick<Holder, 'workspaceId' | 'webhookId'>;

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

/** Soon enough to use a slot that has become free; where nothing answers, none does before a time-out. */
const provenPauseMs = 750;
const unprovenPauseMs = 3_000;

export function createSlots({ total, now, waitMs = 100 }: SlotsOptions): Slots {
  const standings = createStandings(now);
  const occupancy = createOccupancy(total);

  const holderOf = ({ webhookId, workspaceId }: Taker, early: boolean): Holder => {
    const { proven, quick, dear } = standings.of(webhookId);
    return { webhookId, workspaceId, proven, quick, dear, early };
  };
  const occupy = (holder: Holder): Slot => {
    let isOver = false;
    const giveBack = () => {
      if (isOver) return;
      isOver = true;
      occupancy.count(holder, -1);
      line.wake(holder);
    };
    occupancy.count(holder, 1);
    return {
      release(answeredMs) {
        standings.heard(holder, answeredMs);
        giveBack();
      },
      giveBack,
    };
  };
  const take = (taker: Taker): Slot | undefined => {
    const holder = holderOf(taker, false);
    return hasRoom(holder, occupancy) ? occupy(holder) : undefined;
  };
  const line = createSlotLine({ take, standings, now, waitMs });

  return {
    take,
    takeEarly(taker) {
      const holder = holderOf(taker, true);
      const mayHave = hasEarlyRoom(holder, occupancy) && hasRoom(holder, occupancy);
      return mayHave ? occupy(holder) : undefined;
    },
    early: () => earlyLeft(occupancy),
    takeSoon: async (taker) => take(taker) ?? line.wait(taker),
    ...createSlotShares({ standings, occupancy }),
    isProven: (webhookId) => standings.of(webhookId).proven,
    isDear: (webhookId) => standings.of(webhookId).dear,
    rendered: standings.rendered,
    pauseMs: (webhookId) => (standings.of(webhookId).proven ? provenPauseMs : unprovenPauseMs),
    taken: occupancy.all.byWebhook.sum,
  };
}
