/**
 * The one place of a process for a delivery that is suspected of taking its workers down. Should the process die, the
 * others that are suspected were not in it.
 */
export interface SuspectSeat {
  /** False where it is taken. */
  take(): boolean;
  giveBack(): void;
}

export function createSuspectSeat(): SuspectSeat {
  let taken = false;
  return {
    take() {
      if (taken) return false;
      taken = true;
      return true;
    },
    giveBack() {
      taken = false;
    },
  };
}
