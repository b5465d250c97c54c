import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { identifyProcess, isAlive, type ProcessIdentity } from './process-identity.js';
import { startReaper } from './reaper.js';

export interface ChildSpec {
  name: string;
  command: string;
  args: readonly string[];
  /** The whole environment of the child; nothing is inherited unless it is named here. */
  env: NodeJS.ProcessEnv;
  cwd?: string;
  user?: { uid: number; gid: number } | undefined;
  /** Appended to; holds the child's standard output and error. */
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
  /** Settles when the process is gone, however it went. */
  readonly exited: Promise<ChildExit>;
  /** Asks it to stop, waits for `graceMs`, then kills its whole process group. */
  stop(graceMs?: number): Promise<void>;
  /** The end of its log, for a message about a failure. */
  logTail(lines?: number): string;
}

/** Starts children in process groups of their own, so that Ctrl-C reaches only us, and sees that none outlives us. */
export interface ProcessHost {
  start(spec: ChildSpec): Promise<Child>;
  removeAtEnd(directory: string): void;
  /** Kills what is still there, at once, and resolves when it is gone. Nothing can be started afterwards. */
  killAll(): Promise<void>;
  /** Lets the reaper go, which ends what is left. */
  close(): void;
}

export interface ProcessHostOptions {
  /** Told whenever the set of living children changes, so that the next start can clean up after a hard crash. */
  onChange?: (children: readonly RecordedChild[]) => void;
}

export interface RecordedChild extends ProcessIdentity {
  name: string;
}

// A worker finishes the exchanges that it has begun, 10 s at most.
const stopGraceMs = 15_000;

export function createProcessHost({ onChange }: ProcessHostOptions = {}): ProcessHost {
  const reaper = startReaper();
  const living = new Map<number, RecordedChild & { exited: Promise<ChildExit> }>();
  const changed = () => onChange?.([...living.values()].map(({ exited: _, ...recorded }) => recorded));
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
  // What the process left behind in its group, if anything.
  signalQuietly(-pid, 'SIGKILL');
}

/** It may have ended by itself a moment ago. */
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
