import { readFileSync } from 'node:fs';

/** A process id is used again by the system; together with the moment it started it names one process for good. */
export interface ProcessIdentity {
  pid: number;
  /** Clock ticks since boot as `/proc` tells them, prefixed by the boot's id; empty where there is no `/proc`. */
  startedAt: string;
}

export function identifyProcess(pid: number): ProcessIdentity {
  return { pid, startedAt: readStartTime(pid) ?? '' };
}

/** True only where it is certainly the same process: without `/proc` nothing is certain, so nothing is killed. */
export function isSameProcessAlive(identity: ProcessIdentity): boolean {
  return identity.startedAt !== '' && readStartTime(identity.pid) === identity.startedAt;
}

/** False for a zombie too: it holds no port and no file any more. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return readStat(pid)?.state !== 'Z';
}

function readStartTime(pid: number): string | undefined {
  const stat = readStat(pid);
  if (stat === undefined || stat.state === 'Z') return undefined;
  return `${readBootId()}/${stat.startTime}`;
}

function readStat(pid: number): { state: string; startTime: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name stands in parentheses and may hold anything, so the fields are counted from its end.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startTime: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
