/** How many messages the broker may hand out ahead: many while they are small, few while they are large. */
export interface Prefetch {
  /** Messages to ask for first, of a broker that hands none out at present. */
  first(): number;
  /** One has come. */
  received(bytes: number): void;
  /** Further messages to ask for beside those asked for, with so many in hand; 0 where no more should come yet. */
  more(inFlight: number): number;
}

export interface PrefetchOptions {
  /** Messages at the most. */
  max: number;
  /** So many bytes of messages of the sizes seen; without it, `max` is asked for at once. */
  maxBytes: number;
}

/**
 * What has been asked for comes, whatever its size: with messages of a MiB, the most that the API takes, the first are
 * 250 MB. What follows is asked for when as many have come and were small, and may be large: of 100 KB each, 400 MB.
 */
const first = 250;
const maxStep = 4_000;

export function createPrefetch({ max, maxBytes }: PrefetchOptions): Prefetch {
  let asked = 0;
  let step = 0;
  let seen = { count: 0, bytes: 0 };
  let meanBytes = 0;

  const look = () => {
    if (seen.count > 0) meanBytes = seen.bytes / seen.count;
    seen = { count: 0, bytes: 0 };
  };
  return {
    first() {
      look();
      // Taking begins again when half of the bytes are in hand.
      const fitting = Math.floor(maxBytes / 2 / meanBytes);
      step = maxBytes === Number.POSITIVE_INFINITY ? max : Math.max(1, Math.min(first, fitting, max));
      asked = step;
      return asked;
    },
    received(bytes) {
      seen.count += 1;
      seen.bytes += bytes;
    },
    more(inFlight) {
      const next = Math.min(asked, maxStep, max - Math.max(asked, inFlight));
      if (seen.count < step || next <= 0) return 0;
      look();
      if ((asked + next) * meanBytes > maxBytes) return 0;
      asked += next;
      step = next;
      return next;
    },
  };
}
