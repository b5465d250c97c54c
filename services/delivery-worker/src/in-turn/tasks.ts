import { createTickThrottle } from '@tocsin/kit';

/** Tasks in the background. Waiting tasks are started round robin by workspace. */
export interface Tasks {
  add(task: Task): void;
  /** Resolves when no task waits or is in progress. */
  ended(): Promise<void>;
}

interface Task {
  workspaceId: string;
  begin: () => Promise<void>;
}

/**
 * Tasks started in one tick of the event loop. A commit makes hundreds of deliveries ready at once. Started together,
 * all of them would be in memory before the first response is read, and the next commit would wait for them.
 */
const startsPerTick = 32;

export function createTasks(onError: (error: unknown) => void): Tasks {
  const throttle = createTickThrottle(startsPerTick);
  const open = new Set<Promise<void>>();
  return {
    add({ workspaceId, begin }) {
      const ended = throttle.wait(workspaceId).then(begin).catch(onError);
      open.add(ended);
      void ended.then(() => open.delete(ended));
    },
    async ended() {
      while (open.size > 0) await Promise.all(open);
    },
  };
}
