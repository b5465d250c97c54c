import { readdirSync, readFileSync } from 'node:fs';

/** What a process and, where asked for, its children have used. */
export interface Usage {
  /** Of one core, user and system, in milliseconds since the process began. */
  cpuMs: number;
  /** Resident memory in bytes. PostgreSQL's shared buffers count once for each backend that has touched them. */
  rssBytes: number;
}

/** Clock ticks of `/proc` in a second: `USER_HZ`, 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;
const pageBytes = 4_096;

/** CPU and memory of a process with all its descendants, those that have ended included where it has waited for them. */
export function readUsage(pid: number): Usage {
  const stats = readStats();
  const usage: Usage = { cpuMs: 0, rssBytes: 0 };
  const add = (id: number) => {
    const stat = stats.get(id);
    if (stat === undefined) return;
    usage.cpuMs += (stat.ticks * 1_000) / ticksPerSecond;
    usage.rssBytes += stat.rssPages * pageBytes;
    for (const [child, { parent }] of stats) if (parent === id) add(child);
  };
  add(pid);
  return usage;
}

interface Stat {
  parent: number;
  ticks: number;
  rssPages: number;
}

function readStats(): Map<number, Stat> {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const stat = Number.isInteger(pid) ? readStat(pid) : undefined;
    if (stat !== undefined) stats.set(pid, stat);
  }
  return stats;
}

/** proc(5): fields after the command's closing bracket, the first of them being number 3. */
function readStat(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, utime = 0, stime = 0, cutime = 0, cstime = 0, rssPages = 0] = [
      1, 11, 12, 13, 14, 21,
    ].map((index) => fields[index]);
    return { parent, ticks: utime + stime + cutime + cstime, rssPages };
  } catch {
    // It has just ended.
    return undefined;
  }
}
