import { AppError } from '@tocsin/kit';

/** Work on one key at a time, and one piece of it that waits. */
export interface Turns {
  /** @throws AppError `unavailable` where one waits for the same key already */
  take<T>(id: string, work: () => Promise<T>): Promise<T>;
}

export function createTurns(): Turns {
  const busy = new Map<string, { last: Promise<unknown>; count: number }>();
  return {
    async take(id, work) {
      const turn = busy.get(id) ?? { last: Promise.resolve(), count: 0 };
      if (turn.count === 2)
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
