import type { FaultTestBed } from './fault-test-bed.js';

/** One run of the load during which one fault is injected. */
export interface Trial extends FaultTestBed {
  run: number;
}

export interface Fault {
  name: string;
  /** Injects the fault while alerts are published. Resolves when all processes run and are reachable again. */
  inject(trial: Trial): Promise<Exposure>;
  /** Rate of alerts. Default: that of the timing. */
  alertsPerSecond?: number;
  /** Limit on the recovery time. Default: `recoveryLimitMs` of the timing. */
  recoveryLimitMs?: number;
  /** The fault kills or stops the API, so its callers may lose connections. */
  affectsApi?: boolean;
  /** The fault kills or stops workers, so some of their requests may be missing from the records. */
  affectsWorkers?: boolean;
  /** True for the faults of the short form (`--short`). */
  short?: boolean;
  /** The fault needs replicated servers. It runs in the long form only. */
  replicated?: boolean;
}

/** Work that was in progress when the fault was injected, and deliveries that it may repeat. */
export interface Exposure {
  /** Number of affected items. A run with 0 proves nothing and is repeated. */
  inFlight: number;
  /** Name of the items, such as "claimed deliveries". */
  of: string;
  /** Limit on the number of repeated requests. */
  bound: number;
  /** Limit on repeated requests by slot. Without it, any delivery may be repeated up to `bound`. */
  slots?: Map<number, number>;
  /**
   * End of the fault in milliseconds of the machine's monotonic clock; for a failover the time of the kill, so that the
   * recovery contains the failover.
   */
  endedAtMs: number;
  /** One sentence for each promise that was broken during the fault, beyond those that every run checks. */
  problems?: string[];
}

/** Polling options while services recover. Checks every 50 ms disturb the measured load little. */
export const recoveryPolling = { timeoutMs: 60_000, everyMs: 50 };
