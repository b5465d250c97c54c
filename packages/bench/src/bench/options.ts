import { parseArgs } from 'node:util';

const scenarioNames = ['throughput', 'latency', 'scale-out', 'growth', 'auth', 'memory'] as const;
export type ScenarioName = (typeof scenarioNames)[number];

export interface BenchOptions {
  /** Only the usage is wanted. */
  help: boolean;
  /** The form for CI: small numbers, nothing written; wrong counts fail it, times never do. */
  short: boolean;
  only: readonly ScenarioName[];
  /** Profiles of the workers' CPU and of the database's statements, beside the results. */
  profile: boolean;
  alerts: number;
  repeats: number;
  seconds: number;
  minutes: number;
  sizes: readonly number[];
}

export const usage = `npm run bench -- [--short] [--only throughput,latency] [--profile]
  [--alerts 30000] [--repeats 3] [--seconds 10] [--minutes 10] [--sizes 10000,1000000,10000000]
  scenarios: ${scenarioNames.join(', ')}`;

/** @throws Error with a sentence where the arguments are not understood. */
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

/** @throws Error with a sentence where it is none, or below zero. */
export function toNumber(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new Error(`--${name} takes a number, not ${JSON.stringify(text)}.`);
  return value;
}
