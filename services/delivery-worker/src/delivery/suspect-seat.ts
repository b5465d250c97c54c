import { suspectedAfter } from './claimed.js';

/**
 * The one place of a process for a delivery that is suspected of taking its workers down. Should the process die, the
 * others that are suspected were not in it.
 */
export interface SuspectSeat {
  /** How many workers' deaths one who is sent from it may have seen; undefined where it is taken. */
  take(): number | undefined;
  giveBack(): void;
}

export interface SuspectSeatOptions {
  /** For how long a claim is good. */
  leaseMs: number;
  now: () => number;
}

/**
 * For each death beyond the second that a suspect has seen, the process must have lived for a lease. What kills workers
 * again and again, whatever they do, kills them young, and so with no suspect in hand; and what kills them at a steady
 * pace that is slower strikes one at one of these ages only, for a request is shorter than a lease.
 */
export function createSuspectSeat({ leaseMs, now }: SuspectSeatOptions): SuspectSeat {
  const bornAtMs = now();
  let taken = false;
  return {
    take() {
      if (taken) return undefined;
      taken = true;
      return suspectedAfter - 1 + Math.floor((now() - bornAtMs) / leaseMs);
    },
    giveBack() {
      taken = false;
    },
  };
}
