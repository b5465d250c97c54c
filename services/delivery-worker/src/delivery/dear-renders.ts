import { createFairQueue } from '@tocsin/kit';

/**
 * Renderings that take long, one after the other and in turn by webhook. Rendering is synchronous, so while one goes on
 * this process does nothing else: after one that took so long it may do other things for three times as long.
 */
export interface DearRenders {
  /** Whether the turn of one more would come within some seconds; beyond, its claim could run out in the line. */
  hasRoom(): boolean;
  /** What `render` returns or throws, when its turn has come. */
  turn<T>(webhookId: string, render: () => T): Promise<T>;
}

const restPerRender = 3;
const maxWaitMs = 5_000;

export function createDearRenders(): DearRenders {
  const waiting = createFairQueue<{ webhookId: string; begin: () => void }>(({ webhookId }) => webhookId);
  let isBusy = false;
  let lastMs = 0;

  const next = () => {
    const [first] = waiting.take(1);
    isBusy = first !== undefined;
    if (first === undefined) return;
    const startedAtMs = performance.now();
    first.begin();
    lastMs = performance.now() - startedAtMs;
    setTimeout(next, restPerRender * lastMs);
  };
  return {
    hasRoom: () => waiting.size() * (1 + restPerRender) * lastMs < maxWaitMs,
    turn: (webhookId, render) =>
      new Promise((resolve, reject) => {
        const begin = () => {
          try {
            resolve(render());
          } catch (error) {
            reject(error);
          }
        };
        waiting.add({ webhookId, begin });
        if (isBusy) return;
        isBusy = true;
        setImmediate(next);
      }),
  };
}
