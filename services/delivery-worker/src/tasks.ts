/** Work that nobody waits for until the end. */
export interface Tasks {
  add(task: Promise<void>): void;
  /** Resolves when nothing goes on. */
  ended(): Promise<void>;
}

export function createTasks(onError: (error: unknown) => void): Tasks {
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
      task.catch(onError).then(end);
    },
    ended: () => (open === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  };
}
