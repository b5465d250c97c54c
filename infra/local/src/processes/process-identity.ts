import { readFileSync } from 'node:fs';

/** Process ids are reused by the system. Together with the start time an id identifies one process. */
export interface ProcessIdentity {
  pid: number;
  /** Start time in clock ticks since boot from `/proc`, prefixed by the boot id. Empty without `/proc`. */
  startedAt: string;
}

export function identifyProcess(pid: number): ProcessIdentity {
  return { pid, startedAt: readStartTime(pid) ?? '' };
}

/** True only if the start times are known and equal: without `/proc` no process is killed. */
export function isSameProcessAlive(identity: ProcessIdentity): boolean {
  return identity.startedAt !== '' && readStartTime(identity.pid) === identity.startedAt;
}

/** False for a zombie too, which has no open ports or files. */
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
