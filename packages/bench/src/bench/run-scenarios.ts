import { describeMachine } from '../report/machine.js';
import type { Results } from '../report/results.js';
import { readStatementCounts } from '../test-bed/statement-counts-reader.js';
import { createTestBed, type TestBed } from '../test-bed/test-bed.js';
import { measureAuth } from './auth.js';
import { measureCost } from './cost.js';
import { measureGrowth } from './growth.js';
import { measureIdle } from './idle.js';
import { measureLatency } from './latency.js';
import { measureLowRate } from './low-rate.js';
import { measureMemory } from './memory.js';
import type { BenchOptions, ScenarioName } from './options.js';
import { measurePolls } from './polls.js';
import { measureRest } from './rest.js';
import { measureScaleOut } from './scale-out.js';
import { measureThroughput } from './throughput.js';
import { measureWebhookOptions } from './webhook-options.js';

export interface RunOptions extends BenchOptions {
  /** An abort ends the running scenario and stops all processes. */
  signal: AbortSignal;
  print(line: string): void;
}

/** Number of webhooks of each alert in the scenarios throughput, scale-out, cost and memory. */
const webhooks = 3;
/** Rates of the latency scenario, in deliveries per second. */
const latencyRates = [50, 200, 1_000];
const lowRates = [50, 200];
/** Settings of the two REST scenarios. The first sends one alert in each request, the second sends 100. */
const singleAlerts = { batchSize: 1, connections: 32 };
const batches = { batchSize: 100, connections: 8 };
const workerCounts = [1, 2, 4];
/** Rate of the cost scenario, in deliveries per second. The page `docs/capacity.md` reports this load. */
const costRate = 1_000;
/** Number of people who have a page of the console open in the scenario polls. */
const people = 200;

/**
 * Runs the chosen scenarios one after the other on one test bed.
 * @throws Error if a number of requests or database rows is wrong, or if the run is aborted
 */
export async function runScenarios(options: RunOptions): Promise<Results> {
  const { only, profile, print, signal } = options;
  const results: Results = { startedAt: new Date().toISOString(), machine: describeMachine() };
  const testBed = await createTestBed({ print, profile });
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('The benchmark was stopped.')));
  });
  try {
    for (const name of only) {
      print(`${name} …`);
      await Promise.race([runScenario(name, { testBed, options, results }), aborted]);
    }
    if (profile) results.statements = await readStatementCounts(testBed.database);
    return results;
  } finally {
    await testBed.stop();
  }
}

async function runScenario(
  name: ScenarioName,
  { testBed, options, results }: { testBed: TestBed; options: BenchOptions; results: Results },
): Promise<void> {
  const { short, alerts, repeats, seconds, minutes, sizes } = options;
  const requests = short ? 200 : 2_000;
  const warmUpAlerts = short ? 1_000 : 20_000;
  switch (name) {
    case 'throughput':
      results.throughput = await measureThroughput(testBed, { alerts, webhooks, repeats });
      return;
    case 'rest':
      results.rest = await measureRest(testBed, { alerts, repeats, seconds, ...singleAlerts });
      return;
    case 'rest-batch':
      results.restBatch = await measureRest(testBed, { alerts, repeats, seconds, ...batches });
      return;
    case 'latency':
      results.latency = await measureLatency(testBed, { rates: latencyRates, seconds, warmUpAlerts });
      return;
    case 'low-rate':
      results.lowRate = await measureLowRate(testBed, { rates: lowRates, seconds, warmUpAlerts });
      return;
    case 'webhook-options':
      results.webhookOptions = await measureWebhookOptions(testBed, {
        deliveries: alerts * webhooks,
        repeats,
      });
      return;
    case 'scale-out':
      results.scaleOut = await measureScaleOut(testBed, { workers: workerCounts, alerts, webhooks });
      return;
    case 'growth':
      results.growth = await measureGrowth(testBed, { sizes, requests });
      return;
    case 'auth':
      results.auth = await measureAuth(testBed, { requests: 10 * requests, keys: short ? 5 : 50 });
      return;
    case 'cost':
      results.cost = await measureCost(testBed, { alerts, webhooks, perSecond: costRate });
      return;
    case 'polls':
      results.polls = await measurePolls(testBed, { people, seconds: 6 * seconds });
      return;
    case 'memory':
      results.memory = await measureMemory(testBed, { minutes, alerts, webhooks });
      return;
    case 'idle':
      results.idle = await measureIdle(testBed, { seconds: 6 * seconds });
      return;
  }
}
