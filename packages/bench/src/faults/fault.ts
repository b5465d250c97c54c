import type { FaultTestBed } from './fault-test-bed.js';

/** One run of the load, in which one fault is injected. */
export interface Trial extends FaultTestBed {
  run: number;
}

export interface Fault {
  name: string;
  /** Injects the fault while alerts are published. Resolves when all processes are running and reachable again. */
  inject(trial: Trial): Promise<Exposure>;
  /** Publish rate in alerts per second. By default, the rate of the timing. */
  alertsPerSecond?: number;
  /** Limit for the recovery time, in milliseconds. By default, `recoveryLimitMs` of the timing. */
  recoveryLimitMs?: number;
  /** True if the fault kills or stops the API, so that its clients may lose connections. */
  affectsApi?: boolean;
  /** True if the fault kills or stops workers, so that some of their requests may be missing from the records. */
  affectsWorkers?: boolean;
  /** True if the fault is part of the short form (`--short`). */
  short?: boolean;
  /** True if the fault needs replicated servers. It runs in the long form only. */
  replicated?: boolean;
}

/** Work that was in progress at the time of the fault, and limits for repeated requests. */
export interface Exposure {
  /** Number of affected items. A run with 0 affected items proves nothing, so it is repeated. */
  inFlight: number;
  /** Plural noun for the affected items in the result table, for example "claimed deliveries". */
  of: string;
  /** Maximum number of repeated requests of all deliveries together. */
  bound: number;
  /**
   * Maximum number of repeated requests of each delivery. The key is the delivery's index in the destination's arrays
   * (`slotOf`). By default, any delivery may be repeated up to `bound`.
   */
  slots?: Map<number, number>;
  /**
   * End of the fault, in milliseconds of the machine's monotonic clock. For a failover, this is the time of the kill,
   * so that the recovery time includes the failover.
   */
  endedAtMs: number;
  /** One sentence for each additional promise that was broken during the fault. */
  problems?: string[];
}

/** Polling during recovery. A check every 50 ms has little effect on the measured load. */
export const recoveryPolling = { timeoutMs: 60_000, everyMs: 50 };
