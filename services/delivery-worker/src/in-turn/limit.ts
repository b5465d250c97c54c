import { createSemaphore, type Release } from '@tocsin/kit';

/** Limits the pieces of work in progress; the others wait in order of arrival. */
export interface Limit {
  /** Work calls `leave` once the rest of it needs no permit. The permit is released unless too many have left already. */
  run(work: (leave: () => void) => Promise<void>): Promise<void>;
  /** Rejects all waiting and later work with `error`. Work in progress goes on. */
  refuseWaiting(error: Error): void;
}

/** @param maxLeft Number of pieces of work in progress that can have left. */
export function createLimit(size: number, maxLeft = 0): Limit {
  const working = createSemaphore({ permits: size });
  const finishing = createSemaphore({ permits: maxLeft });
  return {
    async run(work) {
      const release = await working.acquire();
      let releaseFinishing: Release | undefined;
      const leave = () => {
        releaseFinishing ??= finishing.tryAcquire();
        if (releaseFinishing !== undefined) release();
      };
      try {
        await work(leave);
      } finally {
        release();
        releaseFinishing?.();
      }
    },
    refuseWaiting: working.close,
  };
}
