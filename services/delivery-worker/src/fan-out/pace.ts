import type { Slots } from '../slots/slots.js';

/**
 * How many alerts are taken over at once. What this worker can begin as it is written costs the database a third less
 * than what waits in rows for its turn (docs/adr/0035), so alerts wait a moment, in hand and not acknowledged, for slots
 * to become free. Only a moment, and only while few wait: fairness between workspaces begins with the rows.
 */
export interface Pace {
  /** Alerts that may be taken over now, of so many that wait. */
  room(waiting: number): number;
  /** So many alerts are taken over: slots are kept for them until it is called, with how many deliveries they had. */
  taken(alerts: number): (deliveries: number) => void;
}

export interface PaceOptions {
  slots: Pick<Slots, 'freeAtWrite'>;
  now: () => number;
}

/** Slots that do not become free are held by destinations that have just become slow. */
const maxStillMs = 50;
const maxPauseMs = 250;
const eagerAbove = 30_000;
/** Smaller batches cost more than the moment until there is a larger one. */
const worthwhileSlots = 128;
/** Of all, where there are few. */
const worthwhilePart = 1 / 4;

export function createPace({ slots, now }: PaceOptions): Pace {
  const worthwhile = Math.max(1, Math.min(worthwhileSlots, slots.freeAtWrite() * worthwhilePart));
  let deliveriesOfAlert = 1;
  let unplanned = 0;
  let pause: { sinceMs: number; movedMs: number; free: number } | undefined;

  const isPausedTooLong = (free: number) => {
    const nowMs = now();
    pause ??= { sinceMs: nowMs, movedMs: nowMs, free };
    if (free > pause.free) pause.movedMs = nowMs;
    pause.free = free;
    return nowMs - pause.movedMs > maxStillMs || nowMs - pause.sinceMs > maxPauseMs;
  };
  return {
    room(waiting) {
      const free = slots.freeAtWrite();
      const alerts = free / deliveriesOfAlert - unplanned;
      const isWorthwhile = alerts >= Math.min(waiting, worthwhile / deliveriesOfAlert);
      if (!isWorthwhile && waiting < eagerAbove && !isPausedTooLong(free)) return 0;
      pause = undefined;
      return isWorthwhile ? Math.ceil(alerts) : waiting;
    },
    taken(alerts) {
      let open = alerts;
      unplanned += open;
      return (deliveries) => {
        if (open === 0) return;
        unplanned -= open;
        open = 0;
        deliveriesOfAlert = Math.max(1, deliveries / alerts);
      };
    },
  };
}
