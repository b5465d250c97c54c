import type { FaultTestBed } from './fault-test-bed.js';

/** A test bed during one run of the load, in which one fault is injected. */
export interface Trial extends FaultTestBed {
  run: number;
}

export interface Fault {
  name: string;
  /** Injects the fault while alerts are published. Resolves when all processes are running and reachable again. */
  inject(trial: Trial): Promise<Exposure>;
  /** Publish rate in alerts per second. Default: the rate in `Timing`. */
  alertsPerSecond?: number;
  /** Limit for the recovery time, in milliseconds. Default: the limit in `Timing`. */
  recoveryLimitMs?: number;
  /** True if the fault kills or stops the API, so that its clients may lose connections. */
  affectsApi?: boolean;
  /** True if the fault kills or stops workers, so that some of their requests may be missing from the records. */
  affectsWorkers?: boolean;
  /**
   * Text of an error that the fault may cause while a worker processes a message. The worker logs the error with the
   * event `message.failed` and processes the message again. By default, no message may fail.
   */
  messageError?: string;
  /** True if a short run (`--short`) includes the fault. */
  short?: boolean;
  /** True if the fault needs replicated servers. */
  replicated?: boolean;
}

/**
 * Effect of a fault: the number of affected items, the number of requests that may be repeated because of the fault,
 * and the time when it ended.
 */
export interface Exposure {
  /**
   * Number of affected items. A run with 0 affected items and no problem proves nothing, so it is repeated up to two
   * times.
   */
  inFlight: number;
  /** Plural noun for the affected items in the result table, for example "claimed deliveries". */
  of: string;
  /** Maximum number of repeated requests of all deliveries together. */
  bound: number;
  /**
   * Maximum number of repeated requests by delivery index. By default, any delivery may be repeated up to `bound`
   * times.
   */
  boundByDelivery?: Map<number, number>;
  /**
   * End of the fault, in milliseconds of the monotonic clock. For a fault that ends a process in `worker-faults.ts` or
   * `replica-faults.ts`, this is about the time of the signal, so the recovery time includes the restart or failover.
   */
  endedAtMs: number;
  /** One sentence for each broken promise that only this fault checks. */
  problems?: string[];
}

/** Options of `until` for the conditions that faults wait for. */
export const recoveryPolling = { timeoutMs: 60_000, intervalMs: 50 };
