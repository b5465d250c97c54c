/** Work that nobody waits for until the end. */
export interface Tasks {
  add(begin: () => Promise<void>): void;
  /** Resolves when nothing waits or goes on. */
  ended(): Promise<void>;
}

/**
 * Begun in each turn of the event loop at the most. A commit makes hundreds of deliveries ready at once; begun together
 * they would all be in memory before the first answer is read, and the next commit's answer would lie unread meanwhile.
 */
const perTurn = 32;

export function createTasks(onError: (error: unknown) => void): Tasks {
  const waiting: (() => Promise<void>)[] = [];
  let isTurnComing = false;
  let open = 0;
  let idle: (() => void)[] = [];

  const end = () => {
    open -= 1;
    if (open > 0) return;
    for (const wake of idle) wake();
    idle = [];
  };
  const scheduleTurn = () => {
    if (isTurnComing || waiting.length === 0) return;
    isTurnComing = true;
    setImmediate(() => {
      isTurnComing = false;
      for (const begin of waiting.splice(0, perTurn)) begin().catch(onError).then(end);
      scheduleTurn();
    });
  };
  return {
    add(begin) {
      open += 1;
      waiting.push(begin);
      scheduleTurn();
    },
    ended: () => (open === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  };
}
