/** Says when it is time to put back what has expired. */
export interface PutBackTimer {
  isDue(): boolean;
  /** What had expired has been put back. */
  done(): void;
  /** A round of the dispatcher has ended, well after so many milliseconds, or because something was away. */
  roundEnded(round: { ok: boolean; tookMs: number }): void;
}

const everyMs = 1_000;
/**
 * Behind an outage everything has expired, though its owners live and hold what they sent. They record it first, for who
 * waits the database out tries every two seconds; to put it back before would be to send it twice.
 */
const ownersRecordWithinMs = 3_000;
/** A round that took so long met an outage that ended before any limit. */
const outageMs = 5_000;

export function createPutBackTimer(now: () => number): PutBackTimer {
  let dueAtMs = 0;
  let outage = false;
  let slow = false;
  return {
    isDue: () => !outage && now() >= dueAtMs,
    done() {
      dueAtMs = now() + everyMs;
    },
    roundEnded({ ok, tookMs }) {
      const wasSlow = slow;
      slow = tookMs > outageMs;
      // Two slow rounds in a row are the load: what has expired must not wait for ever.
      if (ok && (outage || (slow && !wasSlow))) dueAtMs = now() + ownersRecordWithinMs;
      outage = !ok;
    },
  };
}
