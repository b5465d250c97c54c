import { describeMachine } from '../report/machine.js';
import type { Results } from '../report/results.js';
import { readStatementCounts } from '../test-bed/statement-counts-reader.js';
import { type Bench, createBench } from '../test-bed/test-bed.js';
import { measureAuth } from './auth.js';
import { measureGrowth } from './growth.js';
import { measureLatency } from './latency.js';
import { measureMemory } from './memory.js';
import type { BenchOptions, ScenarioName } from './options.js';
import { measureScaleOut } from './scale-out.js';
import { measureThroughput } from './throughput.js';

export interface RunOptions extends BenchOptions {
  /** Aborted: what is running is given up, and everything that was started ends. */
  signal: AbortSignal;
  say(line: string): void;
}

/** As in the issue that asked for the benchmark: an alert has three webhooks. */
const webhooks = 3;
const latencyRates = [50, 200, 1_000];
const workerCounts = [1, 2, 4];

/** Measures what is asked for, one scenario after the other on one stack. Throws where any count is wrong. */
export async function runScenarios(options: RunOptions): Promise<Results> {
  const { only, profile, say, signal } = options;
  const results: Results = { startedAt: new Date().toISOString(), machine: describeMachine() };
  const bench = await createBench(options);
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('The benchmark was stopped.')));
  });
  try {
    for (const name of only) {
      say(`${name} …`);
      await Promise.race([runScenario(name, bench, options, results), aborted]);
    }
    if (profile) results.statements = await readStatementCounts(bench.stack.database);
    return results;
  } finally {
    await bench.stop();
  }
}

async function runScenario(
  name: ScenarioName,
  bench: Bench,
  options: RunOptions,
  results: Results,
): Promise<void> {
  const { short, alerts, repeats, seconds, minutes, sizes } = options;
  const count = short ? 200 : 2_000;
  switch (name) {
    case 'throughput':
      results.throughput = await measureThroughput(bench, { alerts, webhooks, repeats });
      return;
    case 'latency':
      results.latency = await measureLatency(bench, { rates: latencyRates, seconds });
      return;
    case 'scale-out':
      results.scaleOut = await measureScaleOut(bench, { workers: workerCounts, alerts, webhooks });
      return;
    case 'growth':
      results.growth = await measureGrowth(bench, { sizes, requests: count });
      return;
    case 'auth':
      results.auth = await measureAuth(bench, { requests: 10 * count, keys: short ? 5 : 50 });
      return;
    case 'memory':
      results.memory = await measureMemory(bench, { minutes, alerts, webhooks });
      return;
  }
}
