import { AppError } from '@tocsin/kit';

/** With the one that runs; as many bcrypts are done when a refusal is answered, 200 ms after it was asked for. */
const maxInHand = 6;

/** Work on one key at a time, and a few pieces of it that wait. */
export interface OneAtATime {
  /** @throws AppError `unavailable` where as many are in hand for the same key already */
  run<T>(id: string, work: () => Promise<T>): Promise<T>;
}

export function createOneAtATime(): OneAtATime {
  const busy = new Map<string, { last: Promise<unknown>; count: number }>();
  return {
    async run(id, work) {
      const turn = busy.get(id) ?? { last: Promise.resolve(), count: 0 };
      if (turn.count === maxInHand)
        throw new AppError('unavailable', 'This key is being checked; try again.', { retryAfterSeconds: 1 });
      turn.count += 1;
      busy.set(id, turn);
      const done = turn.last.then(work);
      turn.last = done.catch(() => {});
      try {
        return await done;
      } finally {
        turn.count -= 1;
        if (turn.count === 0) busy.delete(id);
      }
    },
  };
}
