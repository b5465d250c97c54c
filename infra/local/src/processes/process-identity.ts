import { readFileSync } from 'node:fs';

/** Process id and start time. Both are needed to identify a process, because the system reuses process ids. */
export interface ProcessIdentity {
  pid: number;
  /** Boot id and start time in clock ticks since boot, from `/proc`. Empty without `/proc`. */
  startedAt: string;
}

export function identifyProcess(pid: number): ProcessIdentity {
  return { pid, startedAt: readStartTime(pid) ?? '' };
}

/**
 * Returns true if a process with this id and start time is alive. Without `/proc` it returns false, so no process is
 * killed.
 */
export function isSameProcessAlive(identity: ProcessIdentity): boolean {
  return identity.startedAt !== '' && readStartTime(identity.pid) === identity.startedAt;
}

/** Returns true if the process is running. A zombie, which has no open ports or files, does not count as running. */
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
    // The command name in parentheses can contain any character, so fields are counted after the last parenthesis.
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
