import type { FaultTestBed } from './fault-test-bed.js';

/** One run of the load during which one fault is injected. */
export interface Trial extends FaultTestBed {
  run: number;
}

export interface Fault {
  name: string;
  /** Injects the fault while alerts are published. Resolves when all processes run and are reachable again. */
  inject(trial: Trial): Promise<Exposure>;
  /** Limit on the recovery time; default: the limit of the form. */
  recoveryLimitMs?: number;
  /** The fault kills or stops the API, so its callers may lose connections. */
  affectsApi?: boolean;
  /** The fault kills or stops workers, so some of their requests may be missing from the records. */
  affectsWorkers?: boolean;
  /** Part of the short form. */
  short?: boolean;
}

/** Work that was in progress when the fault was injected, and deliveries that it may repeat. */
export interface Exposure {
  /** Number of affected items. With 0 the run proves nothing and is repeated. */
  inFlight: number;
  /** Name of the items, such as "claimed deliveries". */
  of: string;
  /** Limit on the number of repeated requests. */
  bound: number;
  /** Limit on repeated requests by slot. Without it, any delivery may be repeated up to `bound`. */
  slots?: Map<number, number>;
  /** End of the fault in milliseconds of the machine's monotonic clock. */
  endedAtMs: number;
}

/** Polling of a condition that holds once services have recovered. A longer interval keeps the measured load undisturbed. */
export const recoveryPolling = { timeoutMs: 60_000, everyMs: 50 };
