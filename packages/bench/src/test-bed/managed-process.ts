import { readFileSync } from 'node:fs';
import type { ProcessHost } from '@tocsin/local';

type Child = Awaited<ReturnType<ProcessHost['start']>>;

/** A process of the tested system. The faults that a suite injects can signal it, stop it and start it again. */
export interface ManagedProcess {
  readonly name: string;
  pid(): number;
  /** Sends a signal to the process. `SIGKILL` is sent to its whole process group. */
  signal(signal: NodeJS.Signals): void;
  /** Resolves with the exit code or the signal after the process has ended. */
  exited(): Child['exited'];
  /**
   * Waits until the process has ended, which the caller must cause, and starts it again. `startOther` replaces the
   * function `start` of `startManagedProcess` for this restart. Resolves when the process is ready.
   */
  restart(startOther?: () => Promise<Child>): Promise<void>;
  /** Describes an exit that the suite did not request, or returns undefined if there was none. */
  unexpectedExit(): string | undefined;
  /** Returns the text that was logged since the last call. */
  takeNewLog(): string;
  stop(): Promise<void>;
}

/**
 * Starts a process. Injected faults can signal it, stop it and start it again.
 * @param start starts the process and resolves when it is ready; called again for each restart
 */
export async function startManagedProcess(
  name: string,
  start: () => Promise<Child>,
): Promise<ManagedProcess> {
  let child = await start();
  let isExitExpected = false;
  let unexpectedExit: string | undefined;
  let logLength = 0;
  const watch = (watched: Child) => {
    void watched.exited.then(({ code, signal }) => {
      if (isExitExpected || watched !== child) return;
      unexpectedExit = `${name} ended by itself (${signal ?? code}):\n${watched.logTail()}`;
    });
  };
  watch(child);
  return {
    name,
    pid: () => child.pid,
    signal(signal) {
      if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') isExitExpected = true;
      process.kill(signal === 'SIGKILL' ? -child.pid : child.pid, signal);
    },
    exited: () => child.exited,
    async restart(startOther = start) {
      await child.exited;
      child = await startOther();
      isExitExpected = false;
      watch(child);
    },
    unexpectedExit: () => unexpectedExit,
    takeNewLog() {
      const log = readFileSync(child.logFile, 'utf8');
      const added = log.slice(logLength);
      logLength = log.length;
      return added;
    },
    async stop() {
      isExitExpected = true;
      await child.stop();
    },
  };
}
