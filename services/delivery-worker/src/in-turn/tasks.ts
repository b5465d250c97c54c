import { createFairQueue, createTickThrottle } from '@tocsin/kit';

/** Work that nobody waits for until the end. */
export interface Tasks {
  /** Those that wait are begun in turn by workspace: a storm's are many, and another's need not wait behind them. */
  add(task: Task): void;
  /** Resolves when nothing waits or goes on. */
  ended(): Promise<void>;
}

interface Task {
  workspaceId: string;
  begin: () => Promise<void>;
}

/**
 * Begun in each turn of the event loop at the most. A commit makes hundreds of deliveries ready at once; begun together
 * they would all be in memory before the first answer is read, and the next commit's answer would lie unread meanwhile.
 */
const perTurn = 32;

export function createTasks(onError: (error: unknown) => void): Tasks {
  const throttle = createTickThrottle(perTurn);
  const waiting = createFairQueue<Task>(({ workspaceId }) => workspaceId);
  let open = 0;
  let idle: (() => void)[] = [];

  const end = () => {
    open -= 1;
    if (open > 0) return;
    for (const wake of idle) wake();
    idle = [];
  };
  return {
    add(task) {
      open += 1;
      waiting.add(task);
      throttle.schedule(() => {
        for (const { begin } of waiting.take(1)) void begin().catch(onError).then(end);
      });
    },
    ended: () => (open === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  };
}
