import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { identifyProcess, isAlive, type ProcessIdentity } from './process-identity.js';
import { startReaper } from './reaper.js';

export interface ChildSpec {
  name: string;
  command: string;
  args: readonly string[];
  /** Complete environment of the child. No variables are inherited. */
  env: NodeJS.ProcessEnv;
  cwd?: string;
  user?: { uid: number; gid: number } | undefined;
  /** Log file for standard output and standard error. Output is appended. */
  logFile: string;
  stopSignal?: 'TERM' | 'INT';
}

export interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Child {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves when the process has exited for any reason. */
  readonly exited: Promise<ChildExit>;
  /**
   * Sends the stop signal and waits until the process has exited. Kills the process after `graceMs` milliseconds. Then
   * kills the rest of its process group.
   */
  stop(graceMs?: number): Promise<void>;
  /** Returns the last lines of the log, for error messages. */
  logTail(lines?: number): string;
}

/**
 * Starts children in separate process groups, so that Ctrl-C signals only this process. All children end when this
 * process exits.
 */
export interface ProcessHost {
  start(spec: ChildSpec): Promise<Child>;
  removeAtEnd(directory: string): void;
  /** Kills all children. Resolves when they have exited. No child can be started afterwards. */
  killAll(): Promise<void>;
  /** Closes the pipe to the reaper, which then ends the remaining processes. */
  close(): void;
}

export interface ProcessHostOptions {
  /**
   * Called with the running children after each change. The caller can store them, so that the next start can end
   * children that have survived a crash.
   */
  onChange?: (children: readonly RecordedChild[]) => void;
  /** Called with an error of `onChange`, for example because the disk is full. The children continue to run. */
  onError?: (error: unknown) => void;
}

export interface RecordedChild extends ProcessIdentity {
  name: string;
}

// Time between the stop signal and SIGKILL, in milliseconds. Services stop within 25 s of the signal.
const stopGraceMs = 26_000;

export function createProcessHost({ onChange, onError }: ProcessHostOptions = {}): ProcessHost {
  const reaper = startReaper();
  const living = new Map<number, RecordedChild & { exited: Promise<ChildExit> }>();
  const changed = () => {
    try {
      onChange?.([...living.values()].map(({ exited: _, ...recorded }) => recorded));
    } catch (error) {
      onError?.(error);
    }
  };
  let ended = false;

  return {
    async start(spec) {
      if (ended) throw new Error(`${spec.name} is not started: everything is being stopped`);
      const stopSignal = spec.stopSignal ?? 'TERM';
      const child = await spawnDetached(spec);
      reaper.watch(child.pid, stopSignal);
      living.set(child.pid, { name: spec.name, ...identifyProcess(child.pid), exited: child.exited });
      changed();
      void child.exited.then(() => {
        reaper.forget(child.pid);
        living.delete(child.pid);
        changed();
      });
      return {
        name: spec.name,
        pid: child.pid,
        logFile: spec.logFile,
        exited: child.exited,
        stop: (graceMs = stopGraceMs) => stopChild({ ...child, stopSignal, graceMs }),
        logTail: (lines) => readLogTail(spec.logFile, lines),
      };
    },
    removeAtEnd: reaper.removeAtEnd,
    async killAll() {
      ended = true;
      const children = [...living.values()];
      for (const { pid } of children) signalQuietly(-pid, 'SIGKILL');
      await Promise.all(children.map(({ exited }) => exited));
    },
    close: reaper.close,
  };
}

interface Spawned {
  pid: number;
  exited: Promise<ChildExit>;
}

async function spawnDetached(spec: ChildSpec): Promise<Spawned> {
  mkdirSync(dirname(spec.logFile), { recursive: true });
  const log = openSync(spec.logFile, 'a', 0o600);
  try {
    const child = spawn(spec.command, spec.args, {
      stdio: ['ignore', log, log],
      detached: true,
      env: spec.env,
      cwd: spec.cwd,
      ...(spec.user ?? {}),
    });
    const exited = new Promise<ChildExit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (cause) =>
        reject(new Error(`cannot run ${spec.command}: ${cause.message}`, { cause })),
      );
    });
    return { pid: child.pid!, exited };
  } finally {
    closeSync(log);
  }
}

async function stopChild(options: Spawned & { stopSignal: 'TERM' | 'INT'; graceMs: number }): Promise<void> {
  const { pid, exited, stopSignal, graceMs } = options;
  if (isAlive(pid)) signalQuietly(pid, `SIG${stopSignal}`);
  const timer = setTimeout(() => signalQuietly(-pid, 'SIGKILL'), graceMs);
  await exited;
  clearTimeout(timer);
  // Kills the process group, because processes that the child has started can still be running.
  signalQuietly(-pid, 'SIGKILL');
}

/** Sends a signal. Errors are ignored, because the process may have exited already. */
export function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {}
}

export function readLogTail(file: string, lines = 15): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
}
