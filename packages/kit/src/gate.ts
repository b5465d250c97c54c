export interface GateOptions {
  /** Pieces of work at a time. */
  places: number;
  /** Of one key. */
  placesOfKey: number;
  /** Who has no place after so long is turned away, in milliseconds. */
  maxWaitMs: number;
}

/** Why nobody was let in: the places of its own key are taken, or those of all. */
export type Refusal = 'own' | 'all';

/**
 * Lets so many do something at a time, and waits for a place in between. A place that becomes free goes to the key that
 * has the fewest: one that asks for much waits for itself.
 */
export interface Gate {
  /**
   * A place, and the function that gives it back. Without `refuse` one is waited for however long it takes.
   * @throws whatever `refuse` makes of it
   */
  enter(key: string, refuse?: (why: Refusal) => Error): Promise<() => void>;
}

interface Waiting {
  key: string;
  begin(): void;
}

export function createGate({ places, placesOfKey, maxWaitMs }: GateOptions): Gate {
  const inside = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let taken = 0;

  const insideOf = (key: string) => inside.get(key) ?? 0;
  const take = (key: string) => {
    taken += 1;
    inside.set(key, insideOf(key) + 1);
    let isGivenBack = false;
    return () => {
      if (isGivenBack) return;
      isGivenBack = true;
      taken -= 1;
      if (insideOf(key) === 1) inside.delete(key);
      else inside.set(key, insideOf(key) - 1);
      letNextIn();
    };
  };
  const letNextIn = () => {
    let next: Waiting | undefined;
    for (const one of waiting) {
      if (insideOf(one.key) >= placesOfKey) continue;
      if (next === undefined || insideOf(one.key) < insideOf(next.key)) next = one;
    }
    if (next !== undefined && taken < places) next.begin();
  };

  return {
    async enter(key, refuse) {
      if (taken < places && insideOf(key) < placesOfKey) return take(key);
      return new Promise((resolve, reject) => {
        const turnAway = () => {
          waiting.delete(one);
          reject(refuse?.(insideOf(key) >= placesOfKey ? 'own' : 'all'));
        };
        const timer = refuse && setTimeout(turnAway, maxWaitMs).unref();
        const one: Waiting = {
          key,
          begin() {
            waiting.delete(one);
            clearTimeout(timer);
            resolve(take(key));
          },
        };
        waiting.add(one);
      });
    },
  };
}
