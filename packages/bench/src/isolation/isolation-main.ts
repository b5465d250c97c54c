import { parseArgs } from 'node:util';
import { toNumber } from '../bench/options.js';
import { type Percentiles, spreadOf } from '../measure/statistics.js';
import { measureGuesses } from './credential-guessing.js';
import {
  measureBeside,
  type Neighbours,
  type NeighboursResult,
  neighbourhoods,
  nobody,
} from './noisy-neighbours.js';
import { measureStorm, type StormResult } from './storm.js';

const usage = `npm run test:isolation -- [options]
  --only NAME,…      of neighbours, storm, backlog and guesses, those named here
  --seconds N        alone and beside neighbours, in each measurement (30)
  --repeats N        of each of these; their median counts (3)
  --workers N        (2)
  --alerts N         of the storm and of the backlog (100000)`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '30' },
    workers: { type: 'string', default: '2' },
    repeats: { type: 'string', default: '3' },
    alerts: { type: 'string', default: '100000' },
    only: { type: 'string' },
  },
});
const say = (line: string) => console.log(line);
const workers = toNumber('workers', values.workers);
const seconds = toNumber('seconds', values.seconds);
const repeats = toNumber('repeats', values.repeats);
const alerts = toNumber('alerts', values.alerts);
const maxRatio = 1.5;
const maxLateMs = 1_000;
const maxQuietMs = 2_000;
const maxCachedKeyMs = 20;
const maxDueKeyMs = 250;
let isRed = false;

const check = (isWithin: boolean, sentence: string) => {
  isRed ||= !isWithin;
  say(`${isWithin ? 'ok ' : 'RED'} ${sentence}`);
};

/** In the order in which they are made. */
const measurements: Record<string, () => Promise<void>> = {
  neighbours: compareNeighbours,
  storm: async () => checkStorm('storm', await measureStorm({ ...stormSize(), held: false })),
  async backlog() {
    const backlog = await measureStorm({ ...stormSize(), held: true });
    checkStorm('backlog', backlog);
    check(
      backlog.publishedAgain === 0,
      `backlog: ${backlog.publishedAgain} rows were published twice, ${backlog.givenBack} of them given back for want of a slot`,
    );
  },
  guesses: checkGuesses,
};

if (values.help) say(usage);
else {
  const names = Object.keys(measurements);
  const wanted = values.only === undefined ? names : values.only.split(',');
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`Nothing is called "${unknown.join(',')}": ${names.join(', ')}.`);
  for (const [name, measure] of Object.entries(measurements)) if (wanted.includes(name)) await measure();
  process.exit(isRed ? 1 : 0);
}

function stormSize() {
  return { alerts, webhooks: 3, workers, say };
}

async function compareNeighbours(): Promise<void> {
  const comparison = await compare(nobody);
  say(`-   ${nobody.name}: p99 ${comparison.ratio.toFixed(2)} times that of being alone`);
  for (const neighbours of neighbourhoods) {
    const { ratio, max, met, repeated } = await compare(neighbours);
    check(
      met >= neighbours.webhooks,
      `${neighbours.name}: ${met} times it was asked for what hangs, in the run with the fewest`,
    );
    check(repeated === 0, `${neighbours.name}: all deliveries arrived, ${repeated} of them more than once`);
    check(ratio <= maxRatio, `${neighbours.name}: p99 ${ratio.toFixed(2)} times that of being alone`);
    check(max <= maxLateMs, `${neighbours.name}: the latest came after ${ms(max)}`);
  }
}

interface Comparison {
  ratio: number;
  max: number;
  met: number;
  repeated: number;
}

/** The median ratio of several runs, for other things happen on a machine too; and the latest of all. */
async function compare(neighbours: Neighbours): Promise<Comparison> {
  const results: NeighboursResult[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const result = await measureBeside(neighbours, { seconds, workers, say });
    results.push(result);
    const { alone, beside, met } = result;
    say(`  ${neighbours.name}: ${times(beside)}; alone ${times(alone)} ${JSON.stringify(met)}`);
  }
  return {
    ratio: spreadOf(results.map(({ alone, beside }) => beside.p99 / alone.p99)).median,
    max: Math.max(...results.map(({ beside }) => beside.max)),
    met: Math.min(...results.map(({ met }) => (neighbours.byName ? met.questions : met.connections))),
    repeated: Math.max(...results.map(({ repeated }) => repeated)),
  };
}

function times({ p50, p95, p99, max }: Percentiles): string {
  return `p50 ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)}, max ${ms(max)}`;
}

function checkStorm(name: string, result: StormResult): void {
  const { alerts, webhooks, publishSeconds, seconds, quiet, quietTakenOver, repeated } = result;
  say(
    `  ${name}: ${alerts} alerts x ${webhooks}, published in ${publishSeconds.toFixed(1)} s, done in ${seconds.toFixed(1)} s`,
  );
  check(
    quiet.max <= maxQuietMs,
    `${name}: single alerts of another workspace: p50 ${ms(quiet.p50)}, latest ${ms(quiet.max)} (taken over after ${ms(quietTakenOver.max)} at the most)`,
  );
  check(repeated === 0, `${name}: all deliveries arrived, ${repeated} of them more than once`);
}

async function checkGuesses(): Promise<void> {
  const { alone, beside, due, first, statuses } = await measureGuesses(say);
  say(`  guesses: ${JSON.stringify(statuses)}; keys in use ${times(beside)}; alone ${times(alone)}`);
  check(
    Object.keys(statuses).every((status) => status === '401'),
    'guesses: each was answered 401',
  );
  check(beside.p99 <= maxCachedKeyMs, `guesses: keys in use: p99 ${ms(beside.p99)}`);
  check(due.max <= maxDueKeyMs, `guesses: keys due for their check: the slowest took ${ms(due.max)}`);
  check(first.max <= maxDueKeyMs, `guesses: keys used for the first time: the slowest took ${ms(first.max)}`);
}

function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}
