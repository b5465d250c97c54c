import { readUsage } from './processes.js';

/** Something of each process, by its name. */
export type CpuShares = Record<string, number>;

export interface CpuMeter {
  /** Microseconds of one core that each process has used since the meter was made, for each of `units`. */
  microsFor(units: number): CpuShares;
}

export function createCpuMeter(pids: Record<string, number>): CpuMeter {
  const used = () => Object.entries(pids).map(([name, pid]) => [name, readUsage(pid).cpuMs] as const);
  const before = new Map(used());
  return {
    microsFor: (units) =>
      Object.fromEntries(
        used().map(([name, cpuMs]) => [name, ((cpuMs - before.get(name)!) * 1_000) / units]),
      ),
  };
}
