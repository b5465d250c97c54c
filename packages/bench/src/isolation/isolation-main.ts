import { parseArgs } from 'node:util';
import { formatMs, type Percentiles, spreadOf } from '../measure/statistics.js';
import { toNumber } from '../number-option.js';
import { savePage } from '../report/save-page.js';
import { type GuessingResult, measureGuessing } from './credential-guessing.js';
import {
  compareWithLimits,
  type LimitComparison,
  manyWebhooksLimits,
  maxCachedKeyP99Ms,
  maxCheckedKeyMs,
  maxRetryDelayMs,
  maxSingleAlertMs,
  minThroughputShare,
  p99LimitMs,
} from './limits.js';
import { type ManyWebhooksOptions, type ManyWebhooksResult, measureManyWebhooks } from './many-webhooks.js';
import { alertsOnly, type NoisyNeighbours, noisyNeighbours } from './neighbour-kinds.js';
import { measureNoisyNeighbours, type NoisyNeighboursResult } from './noisy-neighbours.js';
import { measureStorm, type StormResult } from './storm.js';
import { measureTenantFlood, type TenantFloodResult } from './tenant-flood.js';

const usage = `npm run test:isolation -- [options]
  --only NAME,…      measurements to make: neighbours, storm, backlog, flood,
                     webhooks, guessing (all)
  --seconds N        duration alone and with neighbours, in each run (30)
  --repeats N        number of runs with each neighbour, of flood, webhooks and guessing;
                     the median counts (3)
  --workers N        number of workers (2)
  --alerts N         number of alerts of the storm and of the backlog (100000)
  --flood N          number of alerts of the flood, with 20 unknown webhooks each (15000)
  --save FILE        write the output as a Markdown page`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '30' },
    workers: { type: 'string', default: '2' },
    repeats: { type: 'string', default: '3' },
    alerts: { type: 'string', default: '100000' },
    flood: { type: 'string', default: '15000' },
    only: { type: 'string' },
    save: { type: 'string' },
  },
});
const lines: string[] = [];
const print = (line: string) => {
  lines.push(line);
  console.log(line);
};
const workers = toNumber('workers', values.workers);
const seconds = toNumber('seconds', values.seconds);
const repeats = toNumber('repeats', values.repeats);
const alerts = toNumber('alerts', values.alerts);
const floodAlerts = toNumber('flood', values.flood);
const stormSize = { alerts, webhooks: 3, workers, print };
let passed = true;

const check = (isWithinLimit: boolean, sentence: string) => {
  passed &&= isWithinLimit;
  print(`${isWithinLimit ? 'ok' : 'FAILED'} ${sentence}`);
};

/** Measurements by name, in the order of execution. */
const measurements: Record<string, () => Promise<void>> = {
  neighbours: checkNeighbours,
  async storm() {
    checkStorm('storm', await measureStorm({ ...stormSize, asBacklog: false }));
  },
  async backlog() {
    const backlog = await measureStorm({ ...stormSize, asBacklog: true });
    checkStorm('backlog', backlog);
    check(
      backlog.publishedAgain === 0,
      `backlog: ${backlog.publishedAgain} deliveries were published again, ${backlog.releasedClaims} claims ended without an attempt`,
    );
  },
  async flood() {
    await checkFlood('flood', 1);
    await checkFlood('flood of two workspaces', 2);
  },
  async webhooks() {
    await checkManyWebhooks('webhooks that respond', {
      workspaces: 500,
      webhooksPerWorkspace: 100,
      responds: true,
      source: 'insert',
    });
    const down = { workspaces: 800, webhooksPerWorkspace: 20, responds: false };
    await checkManyWebhooks('webhooks that are down', { ...down, source: 'insert' });
    await checkManyWebhooks('published for webhooks that are down', { ...down, source: 'publish' });
  },
  guessing: checkGuessing,
};

if (values.help) print(usage);
else {
  const names = Object.keys(measurements);
  const chosen = values.only === undefined ? names : values.only.split(',');
  const unknown = chosen.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`Unknown measurement "${unknown.join(',')}"; known are ${names.join(', ')}.`);
  for (const [name, measure] of Object.entries(measurements)) if (chosen.includes(name)) await measure();
  if (values.save !== undefined)
    savePage({
      file: values.save,
      title: 'Isolation',
      command: 'test:isolation',
      content: ['```', ...lines, '```'].join('\n'),
    });
  process.exit(passed ? 0 : 1);
}

async function checkNeighbours(): Promise<void> {
  const reference = await measureRepeatedly(alertsOnly);
  print(`-   ${alertsOnly.name}: ${describeMedian(reference.comparison)}`);
  for (const neighbours of noisyNeighbours) {
    const { name, webhooks } = neighbours;
    const { comparison, neighbourRequests, repeated } = await measureRepeatedly(neighbours);
    check(
      neighbourRequests >= webhooks,
      `${name}: the neighbours made at least ${neighbourRequests} requests`,
    );
    check(repeated === 0, `${name}: all healthy deliveries arrived, ${repeated} of them more than once`);
    check(comparison.passed.p99, `${name}: ${describeMedian(comparison)}`);
    check(
      comparison.passed.slowest,
      `${name}: the slowest healthy delivery took ${formatMs(comparison.slowestMs)}`,
    );
  }
}

interface RepeatedMeasurement {
  comparison: LimitComparison;
  /** Number of requests of the noisy neighbours, in the run in which they made the fewest. */
  neighbourRequests: number;
  /** Number of healthy deliveries that arrived more than once, in the run with the most of them. */
  repeated: number;
}

async function measureRepeatedly(neighbours: NoisyNeighbours): Promise<RepeatedMeasurement> {
  const results: NoisyNeighboursResult[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const result = await measureNoisyNeighbours(neighbours, { seconds, workers, print });
    results.push(result);
    print(
      `  ${neighbours.name}: ${describe(result.withNeighbours)}; alone ${describe(result.alone)}; ${result.neighbourRequests} requests of neighbours`,
    );
  }
  return {
    comparison: compareWithLimits(results),
    neighbourRequests: Math.min(...results.map(({ neighbourRequests }) => neighbourRequests)),
    repeated: Math.max(...results.map(({ repeated }) => repeated)),
  };
}

function describeMedian({ median: { alone, withNeighbours } }: LimitComparison): string {
  const limit = formatMs(p99LimitMs(alone.p99));
  return `p99 ${formatMs(withNeighbours.p99)}, alone ${formatMs(alone.p99)}, limit ${limit}`;
}

function describe({ p50, p95, p99, max }: Percentiles): string {
  return `p50 ${formatMs(p50)}, p95 ${formatMs(p95)}, p99 ${formatMs(p99)}, max ${formatMs(max)}`;
}

function checkStorm(name: string, result: StormResult): void {
  const { publishSeconds, singleAlerts, singleAlertAccepts, repeated } = result;
  print(
    `  ${name}: ${result.alerts} alerts x ${result.webhooks}, published in ${publishSeconds.toFixed(1)} s, done in ${result.seconds.toFixed(1)} s`,
  );
  check(
    singleAlerts.max <= maxSingleAlertMs,
    `${name}: single alerts of another workspace: p50 ${formatMs(singleAlerts.p50)}, slowest ${formatMs(singleAlerts.max)} (accepted after at most ${formatMs(singleAlertAccepts.max)})`,
  );
  check(repeated === 0, `${name}: all deliveries arrived, ${repeated} of them more than once`);
}

async function checkFlood(name: string, workspaces: number): Promise<void> {
  const results: TenantFloodResult[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const result = await measureTenantFlood({ alerts: floodAlerts, workspaces, print });
    results.push(result);
    print(
      `  ${name}: ${result.deliveries} deliveries written in ${result.seconds.toFixed(1)} s; delay of ${result.retries} retries of another workspace: ${describe(result.retryDelays)}; ${result.alone.toFixed(0)} deliveries a second alone, ${result.afterwards.toFixed(0)} afterwards`,
    );
  }
  const open = Math.max(...results.map((result) => result.open));
  check(open === 0, `${name}: ${open} deliveries of unknown webhooks were open`);
  const retries = Math.min(...results.map((result) => result.retries));
  check(retries > 0, `${name}: at least ${retries} retries of another workspace were due meanwhile`);
  const slowestMs = Math.max(...results.map(({ retryDelays }) => retryDelays.max));
  check(slowestMs <= maxRetryDelayMs, `${name}: these retries were at most ${formatMs(slowestMs)} late`);
  const share = spreadOf(results.map(({ alone, afterwards }) => afterwards / alone)).median;
  check(
    share >= minThroughputShare,
    `${name}: others deliver at ${share.toFixed(2)} of their speed alone, limit ${minThroughputShare.toFixed(2)}`,
  );
}

async function checkManyWebhooks(
  name: string,
  size: Pick<ManyWebhooksOptions, 'workspaces' | 'webhooksPerWorkspace' | 'responds' | 'source'>,
): Promise<void> {
  const results: ManyWebhooksResult[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const result = await measureManyWebhooks({ ...size, deliveriesPerWebhook: 4, workers, print });
    results.push(result);
    print(
      `  ${name}: ${result.deliveries} deliveries of ${result.webhooks} webhooks, ${result.perSecond.toFixed(0)} a second attempted; delay of ${result.retries} retries of another workspace: ${describe(result.retryDelays)}`,
    );
  }
  const limits = manyWebhooksLimits[size.source];
  const retries = Math.min(...results.map((result) => result.retries));
  check(retries > 0, `${name}: at least ${retries} retries of another workspace were due meanwhile`);
  const slowestMs = Math.max(...results.map(({ retryDelays }) => retryDelays.max));
  check(slowestMs <= limits.retryDelayMs, `${name}: these retries were at most ${formatMs(slowestMs)} late`);
  const perSecond = spreadOf(results.map((result) => result.perSecond)).median;
  check(
    perSecond >= limits.deliveriesPerSecond,
    `${name}: in the median run, ${perSecond.toFixed(0)} deliveries a second were attempted, limit ${limits.deliveriesPerSecond}`,
  );
}

async function checkGuessing(): Promise<void> {
  const results: GuessingResult[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const result = await measureGuessing(print);
    results.push(result);
    const { statuses, withGuessing, alone } = result;
    print(
      `  guessing: ${JSON.stringify(statuses)}; keys in use ${describe(withGuessing)}; alone ${describe(alone)}`,
    );
  }
  const statuses = new Set(results.flatMap((result) => Object.keys(result.statuses)));
  check(
    [...statuses].every((status) => status === '401' || status === '503'),
    'guessing: all guesses got 401, or 503 at the ids of unused keys',
  );
  const p99Ms = spreadOf(results.map(({ withGuessing }) => withGuessing.p99)).median;
  check(p99Ms <= maxCachedKeyP99Ms, `guessing: keys in use: in the median run, p99 ${formatMs(p99Ms)}`);
  const expiredMs = Math.max(...results.map(({ expiredChecks }) => expiredChecks.max));
  check(expiredMs <= maxCheckedKeyMs, `guessing: keys with an expired check: slowest ${formatMs(expiredMs)}`);
  const firstMs = Math.max(...results.map(({ firstChecks }) => firstChecks.max));
  check(firstMs <= maxCheckedKeyMs, `guessing: first use of a key: slowest ${formatMs(firstMs)}`);
}
