/** A process of the system under test, which faults may end and start again. */
export interface Part {
  readonly name: string;
  pid(): number;
  /** Sends a signal; `SIGKILL` reaches the whole process group at once. */
  signal(signal: NodeJS.Signals): void;
  /** Resolves with how it went, once it is gone. */
  gone(): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Starts it again and resolves when it is ready. */
  revive(): Promise<void>;
  /** Why it ended although nobody told it to; undefined while all is well. */
  diedByItself(): string | undefined;
  /** What it has logged since the last call. */
  newLog(): string;
  stop(): Promise<void>;
}

interface StartedProcess {
  pid: number;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stop(): Promise<void>;
  logTail(): string;
}

export interface PartOptions {
  name: string;
  start: () => Promise<StartedProcess>;
  readLog: () => string;
}

export async function startPart({ name, start, readLog }: PartOptions): Promise<Part> {
  let child = await start();
  let expected = false;
  let died: string | undefined;
  let logRead = 0;
  const watch = (watched: StartedProcess) => {
    void watched.exited.then(({ code, signal }) => {
      if (expected || watched !== child) return;
      died = `${name} ended by itself (${signal ?? code}):\n${watched.logTail()}`;
    });
  };
  watch(child);
  return {
    name,
    pid: () => child.pid,
    signal(signal) {
      if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') expected = true;
      process.kill(signal === 'SIGKILL' ? -child.pid : child.pid, signal);
    },
    gone: () => child.exited,
    async revive() {
      await child.exited;
      child = await start();
      expected = false;
      watch(child);
    },
    diedByItself: () => died,
    newLog() {
      const log = readLog();
      const fresh = log.slice(logRead);
      logRead = log.length;
      return fresh;
    },
    async stop() {
      expected = true;
      await child.stop();
    },
  };
}
