import type { AuthResult } from '../bench/auth.js';
import type { CostResult } from '../bench/cost.js';
import type { GrowthResult } from '../bench/growth.js';
import type { IdleResult } from '../bench/idle.js';
import type { LatencyResult } from '../bench/latency.js';
import type { LowRateResult } from '../bench/low-rate.js';
import type { MemoryResult } from '../bench/memory.js';
import type { PollsResult } from '../bench/polls.js';
import type { RestResult } from '../bench/rest.js';
import type { ScaleOutResult } from '../bench/scale-out.js';
import type { ThroughputResult } from '../bench/throughput.js';
import type { WebhookOptionsResult } from '../bench/webhook-options.js';
import type { StatementCount } from '../test-bed/statement-counts-reader.js';
import type { Machine } from './machine.js';

/** Results of one run of the benchmark. */
export interface Results {
  startedAt: string;
  machine: Machine;
  throughput?: ThroughputResult;
  rest?: RestResult;
  restBatch?: RestResult;
  latency?: LatencyResult[];
  lowRate?: LowRateResult[];
  webhookOptions?: WebhookOptionsResult[];
  scaleOut?: ScaleOutResult[];
  growth?: GrowthResult[];
  auth?: AuthResult;
  memory?: MemoryResult;
  idle?: IdleResult;
  cost?: CostResult[];
  polls?: PollsResult[];
  /** The 20 database statements with the highest total time in the whole run. Present with `--profile` only. */
  statements?: StatementCount[];
}
