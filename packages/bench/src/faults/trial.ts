import type { Stage } from './fault-test-bed.js';

/** A run of the load while a fault is inflicted. */
export interface Trial extends Stage {
  run: number;
}

/** What a fault puts at risk of being sent twice. */
export interface Exposure {
  /** Something that was in flight when it struck; where this is 0 the fault has shown nothing. */
  inFlight: number;
  /** Of what. */
  of: string;
  /** No more than so many may be repeated. */
  bound: number;
  /** Where it is known which deliveries are at risk: only these may be repeated, each so often at the most. */
  slots?: Map<number, number>;
  /** When the fault was over, on the machine's monotonic clock in milliseconds. */
  endedAtMs: number;
}

export interface Fault {
  name: string;
  /** Inflicts it while alerts keep coming, and resolves when everything is up again. */
  inflict(trial: Trial): Promise<Exposure>;
  /** Recovering may take so long, where that is less than of others. */
  recoveryBoundMs?: number;
  /** The API is killed or stopped in it, and so are workers. */
  strikesApi?: boolean;
  strikesWorkers?: boolean;
  /** Takes part in the short form. */
  short?: boolean;
}

/** What services need to come back, and how often they may be asked meanwhile without harm to what is measured. */
export const patience = { timeoutMs: 60_000, everyMs: 50 };
