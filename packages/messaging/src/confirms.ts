/** Tells whether a broker still confirms, by what it was sent and has not answered. */
export interface Confirms {
  /** Call it before each message: false where it must not be sent, for nothing has been confirmed for a while. */
  admit(): boolean;
  /** One has come, be it late. */
  came(): void;
}

export interface ConfirmsOptions {
  /** A message that was sent, and nothing confirmed since, for so long means that nothing is confirmed, in milliseconds. */
  refuseAfterMs: number;
  /** On a monotonic clock. */
  now?: () => number;
}

/**
 * Should a confirm be lost for good, messages find out after so long. Heartbeats (10 s) have ended a connection by then
 * whose broker is frozen, so that nobody is sent to wait for that one.
 */
const forgetAfterMs = 30_000;

/**
 * Nobody has to find out whether confirms come again: the message that lies unconfirmed does. Its confirm arrives as
 * soon as the broker goes on, also where its publisher no longer waits for it.
 */
export function createConfirms({ refuseAfterMs, now = () => performance.now() }: ConfirmsOptions): Confirms {
  /** When the first message was sent since the last confirm. */
  let sentFirstMs: number | undefined;
  return {
    admit() {
      const nowMs = now();
      if (sentFirstMs === undefined || nowMs - sentFirstMs > forgetAfterMs) sentFirstMs = nowMs;
      return nowMs - sentFirstMs < refuseAfterMs;
    },
    came() {
      sentFirstMs = undefined;
    },
  };
}
