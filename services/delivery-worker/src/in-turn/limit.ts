/** Lets so many pieces of work go on at once; the others wait, first come first served. */
export interface Limit {
  /** Work may call `leave` where what is left of it needs no place: the next one comes in, while not too many have left. */
  run(work: (leave: () => void) => Promise<void>): Promise<void>;
  /** What waits is rejected with `error`, now and from now on; what goes on goes on. */
  refuseWaiting(error: Error): void;
}

interface Waiter {
  begin: () => void;
  refuse: (error: Error) => void;
}

/** @param maxLeft How many that have left their place may still go on. */
export function createLimit(size: number, maxLeft = 0): Limit {
  let busy = 0;
  let left = 0;
  let refusal: Error | undefined;
  const waiters: Waiter[] = [];
  // A shifted array would be copied at each turn; this one is cut when half of it is used up.
  let first = 0;

  /** A place goes from one to the next, so that nobody comes between. */
  const next = () => {
    const waiter = waiters[first];
    if (waiter === undefined) {
      busy -= 1;
      return;
    }
    first += 1;
    if (first * 2 > waiters.length) {
      waiters.splice(0, first);
      first = 0;
    }
    waiter.begin();
  };
  return {
    async run(work) {
      if (refusal !== undefined) throw refusal;
      if (busy < size) busy += 1;
      else await new Promise<void>((begin, refuse) => waiters.push({ begin, refuse }));
      let hasLeft = false;
      const leave = () => {
        if (hasLeft || left >= maxLeft) return;
        hasLeft = true;
        left += 1;
        next();
      };
      try {
        await work(leave);
      } finally {
        if (hasLeft) left -= 1;
        else next();
      }
    },
    refuseWaiting(error) {
      refusal = error;
      const refused = waiters.splice(0).slice(first);
      first = 0;
      for (const { refuse } of refused) refuse(error);
    },
  };
}
