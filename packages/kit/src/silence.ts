/** Tells whether somebody who is asked still answers, so that callers need not hang with those who came before them. */
export interface Silence {
  /**
   * Call it before each question. `silent`: nobody has been answered for a while. `probe`: so it is, but it is time for
   * a question again, to find out.
   */
  state(): 'heard' | 'probe' | 'silent';
  /** Something has come back, whatever it was. */
  answered(): void;
}

export interface SilenceOptions {
  /** Questions without any answer for so long mean silence, in milliseconds. */
  afterMs: number;
  /** On a monotonic clock. */
  now?: () => number;
}

const probeEveryMs = 500;
/** Where nobody has asked for so long, nothing is known. */
const forgetAfterMs = 5_000;

export function createSilence({ afterMs, now = () => performance.now() }: SilenceOptions): Silence {
  /** The first question since the last answer. */
  let askedFirstMs: number | undefined;
  let askedLastMs = 0;
  let probedMs = Number.NEGATIVE_INFINITY;
  return {
    state() {
      const nowMs = now();
      if (askedFirstMs === undefined || nowMs - askedLastMs > forgetAfterMs) askedFirstMs = nowMs;
      askedLastMs = nowMs;
      if (nowMs - askedFirstMs < afterMs) return 'heard';
      if (nowMs - probedMs < probeEveryMs) return 'silent';
      probedMs = nowMs;
      return 'probe';
    },
    answered() {
      askedFirstMs = undefined;
    },
  };
}
