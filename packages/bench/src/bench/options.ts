import { parseArgs } from 'node:util';
import { toNumber } from '../number-option.js';

const scenarioNames = [
  'throughput',
  'rest',
  'rest-batch',
  'latency',
  'low-rate',
  'webhook-options',
  'scale-out',
  'growth',
  'auth',
  'memory',
  'idle',
  'cost',
  'polls',
] as const;
export type ScenarioName = (typeof scenarioNames)[number];

export interface BenchOptions {
  help: boolean;
  /**
   * True for a short run, for example in CI: the default numbers of alerts and repeats are small, and no result files
   * are written.
   */
  short: boolean;
  only: readonly ScenarioName[];
  /** True to write CPU profiles of the workers and of the API, and to count the statements of the database. */
  profile: boolean;
  alerts: number;
  repeats: number;
  seconds: number;
  minutes: number;
  sizes: readonly number[];
}

export const usage = `npm run bench -- [options]
  --only NAME,…      scenarios to run: ${scenarioNames.join(', ')} (all)
  --short            small numbers, writes no results
  --profile          write CPU profiles of workers and API, and count database statements
  --alerts N         alerts of each run of throughput, rest, rest-batch, scale-out, memory and cost (30000);
                     webhook-options sends as many deliveries as throughput
  --repeats N        repeats of throughput, rest, rest-batch and webhook-options (3)
  --seconds N        duration of latency, low-rate, rest and rest-batch at each rate, a sixth of idle and of
                     each page of polls (10)
  --minutes N        duration of memory (10)
  --sizes N,…        numbers of stored deliveries in growth (10000,1000000,10000000)`;

/** @throws Error with the reason if an argument is unknown or invalid */
export function readOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      help: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
      only: { type: 'string', default: scenarioNames.join(',') },
      profile: { type: 'boolean', default: false },
      alerts: { type: 'string' },
      repeats: { type: 'string' },
      seconds: { type: 'string' },
      minutes: { type: 'string' },
      sizes: { type: 'string' },
    },
  });
  const { help, short, profile } = values;
  return {
    help,
    short,
    profile,
    only: values.only.split(',').map(toScenario),
    alerts: toNumber('alerts', values.alerts ?? (short ? '2000' : '30000')),
    repeats: toNumber('repeats', values.repeats ?? (short ? '1' : '3')),
    seconds: toNumber('seconds', values.seconds ?? (short ? '2' : '10')),
    minutes: toNumber('minutes', values.minutes ?? (short ? '0' : '10')),
    sizes: (values.sizes ?? (short ? '2000' : '10000,1000000,10000000'))
      .split(',')
      .map((size) => toNumber('sizes', size)),
  };
}

function toScenario(name: string): ScenarioName {
  const found = scenarioNames.find((known) => known === name.trim());
  if (found === undefined) throw new Error(`There is no scenario ${JSON.stringify(name)}.\n${usage}`);
  return found;
}
