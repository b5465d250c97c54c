import { readdirSync, readFileSync } from 'node:fs';

/** Resources used by a process and all of its descendants. */
export interface Usage {
  /** CPU time (user and system) since the start of each process, in milliseconds of one core. */
  cpuMs: number;
  /** Resident memory in bytes. PostgreSQL's shared buffers count once for each backend that has used them. */
  rssBytes: number;
}

/** CPU time in microseconds, by process name. */
export type CpuShares = Record<string, number>;

export function sumOf(shares: CpuShares): number {
  return Object.values(shares).reduce((sum, share) => sum + share, 0);
}

export interface CpuMeter {
  /**
   * Returns the CPU time of each process since the meter was created, in microseconds for each unit of work. `units` is
   * the number of units, for example of deliveries.
   */
  microsFor(units: number): CpuShares;
}

export function createCpuMeter(pids: Record<string, number>): CpuMeter {
  const usedMs = () => Object.entries(pids).map(([name, pid]) => [name, readUsage(pid).cpuMs] as const);
  const before = new Map(usedMs());
  return {
    microsFor: (units) =>
      Object.fromEntries(
        usedMs().map(([name, cpuMs]) => [name, ((cpuMs - before.get(name)!) * 1_000) / units]),
      ),
  };
}

/** `USER_HZ`, the unit of CPU times in `/proc`. It is 100 on every Linux that Node.js supports. */
const ticksPerSecond = 100;
const pageBytes = 4_096;

/**
 * Returns the usage of a process and its descendants. The CPU time includes that of an ended descendant if its parent
 * process has waited for its end (`wait`).
 */
export function readUsage(pid: number): Usage {
  const stats = readStats();
  const usage: Usage = { cpuMs: 0, rssBytes: 0 };
  for (const id of familyOf(pid, stats)) {
    const stat = stats.get(id)!;
    usage.cpuMs += msOf(stat.ticks + stat.ticksOfEnded);
    usage.rssBytes += stat.rssPages * pageBytes;
  }
  return usage;
}

export interface ExactUsage {
  /** CPU time since the start of each process, in milliseconds of one core. */
  cpuMs: number;
  /** Memory in bytes (PSS: a page that n processes share counts as 1/n for each). */
  pssBytes: number;
}

/** Returns the usage of a process, with or without its current descendants. */
export function readExactUsage(pid: number, { withDescendants }: { withDescendants: boolean }): ExactUsage {
  const stats = readStats();
  const ids = withDescendants ? familyOf(pid, stats) : [pid];
  const cpuMs = ids.reduce((sum, id) => sum + msOf(stats.get(id)?.ticks ?? 0), 0);
  return { cpuMs, pssBytes: ids.reduce((sum, id) => sum + readPssBytes(id), 0) };
}

/** Returns the ids of a process and its descendants. */
function familyOf(pid: number, stats: Map<number, Stat>): number[] {
  if (!stats.has(pid)) return [];
  const children = [...stats].filter(([, { parent }]) => parent === pid);
  return [pid, ...children.flatMap(([child]) => familyOf(child, stats))];
}

function msOf(ticks: number): number {
  return (ticks * 1_000) / ticksPerSecond;
}

function readPssBytes(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1_024;
  } catch {
    // The process ended after it was listed.
    return 0;
  }
}

interface Stat {
  parent: number;
  ticks: number;
  /** CPU ticks of ended children that the process has waited for. */
  ticksOfEnded: number;
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

/**
 * Parses `/proc/{pid}/stat` (proc(5)). Field 3 is the first field after the closing parenthesis of the command name.
 */
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
    return { parent, ticks: utime + stime, ticksOfEnded: cutime + cstime, rssPages };
  } catch {
    // The process ended after it was listed.
    return undefined;
  }
}
