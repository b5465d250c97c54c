import type { AuthResult } from '../scenarios/auth.js';
import type { GrowthResult } from '../scenarios/growth.js';
import type { LatencyResult } from '../scenarios/latency.js';
import type { MemoryResult } from '../scenarios/memory.js';
import type { ScaleOutResult } from '../scenarios/scale-out.js';
import type { ThroughputResult } from '../scenarios/throughput.js';
import type { StatementCount } from '../stack/statement-counts-reader.js';
import type { Machine } from './machine.js';

/** Everything that one run of the benchmark has measured. */
export interface Results {
  startedAt: string;
  machine: Machine;
  throughput?: ThroughputResult;
  latency?: LatencyResult[];
  scaleOut?: ScaleOutResult[];
  growth?: GrowthResult[];
  auth?: AuthResult;
  memory?: MemoryResult;
  /** Of a profiling run: what the database's statements cost over all of it. */
  statements?: StatementCount[];
}
