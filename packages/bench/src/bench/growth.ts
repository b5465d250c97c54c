import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createDatabase, type Database, migrateDatabase } from '@tocsin/database';
import { Client } from 'undici';
import { formatMs, type Percentiles, percentilesOf } from '../measure/statistics.js';
import { type Apis, startApis } from '../test-bed/apis.js';
import { suiteApplicationName, type TestBed } from '../test-bed/test-bed.js';
import { fillHistory, type History } from './growth-history-repository.js';
import { createDatabaseFor, dropDatabase, pickDeliveries, setAutoExplain } from './growth-repository.js';

export interface GrowthResult {
  deliveries: number;
  /** Duration of writing the history, in seconds. */
  fillSeconds: number;
  /**
   * Latency of each query in milliseconds. The queries of users are HTTP requests to the API. The dispatcher's queries
   * run directly on the database.
   */
  latencyMs: Record<string, Percentiles>;
  /** Plans of each query, as PostgreSQL logs them. */
  plans: Record<string, string[]>;
}

export interface GrowthOptions {
  /** Numbers of stored deliveries for which the queries are measured. */
  sizes: readonly number[];
  /** Number of requests for each query and size. */
  requests: number;
}

/** The functions of the worker's dispatch repository that are measured. */
interface DispatchQueries {
  findWebhooks(
    visits: { workspaceId: string; after: string }[],
    limits: { steps: number; webhooks: number; oldest: number; places: number },
  ): Promise<unknown>;
  queued(wanted: []): Promise<unknown>;
}

/** One of the compared sizes: a history in a separate database, with the queries that are measured on it. */
interface Size {
  history: History;
  fillSeconds: number;
  databaseUrl: string;
  paths: Record<string, string[]>;
  queries: Record<string, () => Promise<unknown>>;
  stop(): Promise<void>;
}

const days = 30;
/** Limits that are high enough for one query of the dispatcher to read a whole workspace. */
const scanLimits = { steps: 2_000, webhooks: 2_000, oldest: 2_000, places: 2_000 };
const firstWebhook = '00000000-0000-0000-0000-000000000000';
/** Number of deliveries that are fetched by id. */
const samples = 200;
/**
 * Number of executions before the plan is read. PostgreSQL plans the first five executions of a prepared statement for
 * their parameters, and may use a generic plan from the sixth on.
 */
const executionsBeforeGenericPlan = 6;

/**
 * Measures the queries of users and of the dispatcher on small and large histories. Each round queries every history
 * once, so that a slow phase of the machine affects all histories equally.
 */
export async function measureGrowth(testBed: TestBed, options: GrowthOptions): Promise<GrowthResult[]> {
  const sizes: Size[] = [];
  try {
    for (const deliveries of options.sizes) sizes.push(await openSize(testBed, deliveries));
    const latencies = await measureLatencies(sizes, options.requests);
    const results: GrowthResult[] = [];
    for (const [index, size] of sizes.entries()) {
      const { deliveries } = size.history;
      const plans = await readPlans(testBed, size);
      results.push({ deliveries, fillSeconds: size.fillSeconds, latencyMs: latencies[index]!, plans });
    }
    for (const { deliveries, latencyMs } of results) {
      const p99 = Object.entries(latencyMs).map(([name, { p99 }]) => `${name} ${formatMs(p99)}`);
      testBed.print(`  ${deliveries} deliveries, p99: ${p99.join(', ')}`);
    }
    return results;
  } finally {
    for (const size of sizes) await size.stop();
  }
}

async function openSize(testBed: TestBed, deliveries: number): Promise<Size> {
  const name = `growth_${deliveries}`;
  const databaseUrl = await createDatabaseFor(testBed, name);
  const [workspaceId, webhookId, inactiveWebhookId] = [randomUUID(), randomUUID(), randomUUID()];
  const history = { workspaceId, webhookId, inactiveWebhookId, deliveries, days };
  const { fillSeconds, ids } = await fill(testBed, databaseUrl, history);
  testBed.print(`  ${deliveries} deliveries written in ${fillSeconds.toFixed(0)} s`);
  const apis = await startApis(testBed, { workspaceId, databaseUrl });
  const paths = pathsOf(history, ids);
  const http = await openHttpQueries(apis, paths);
  const database = createDatabase({
    url: databaseUrl,
    applicationName: suiteApplicationName,
    plansByKey: true,
  });
  const dispatch = await openDispatchQueries(database);
  return {
    history,
    fillSeconds,
    databaseUrl,
    paths,
    queries: {
      ...http.queries,
      'due scan': () =>
        dispatch.findWebhooks([{ workspaceId: history.workspaceId, after: firstWebhook }], scanLimits),
      queued: () => dispatch.queued([]),
    },
    async stop() {
      await http.close();
      await apis.stop();
      await database.close();
      await dropDatabase(testBed.database, name);
    },
  };
}

async function fill(testBed: TestBed, url: string, history: History) {
  const database = createDatabase({
    url,
    applicationName: suiteApplicationName,
    statementTimeoutMs: 600_000,
  });
  try {
    await migrateDatabase(database);
    const startedAtMs = performance.now();
    await fillHistory(database, history);
    const fillSeconds = (performance.now() - startedAtMs) / 1_000;
    return {
      fillSeconds,
      ids: await pickDeliveries(database, testBed.secretBox, { history, count: samples }),
    };
  } finally {
    await database.close();
  }
}

function pathsOf({ workspaceId, webhookId, inactiveWebhookId }: History, ids: string[]) {
  const workspace = `/api/v1/workspaces/${workspaceId}`;
  const list = `${workspace}/deliveries`;
  const stats = `${workspace}/delivery_stats`;
  const daysAgo = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString();
  return {
    newest: [list],
    'of a webhook': [`${list}?webhook_id=${webhookId}`],
    'of an inactive webhook': [`${list}?webhook_id=${inactiveWebhookId}`],
    failed: [`${list}?status=failed`],
    waiting: [`${list}?status=waiting`],
    'one by id': ids.map((id) => `/api/v1/deliveries/${id}`),
    alerts: [`${workspace}/alerts`],
    'statistics by minute': [`${stats}?step=minute&since=${daysAgo(1)}`],
    'statistics by hour': [`${stats}?step=hour&since=${daysAgo(days)}`],
    'statistics by webhook': [`${stats}?step=day&since=${daysAgo(days)}&group_by=webhook`],
  };
}

/**
 * Returns one function for each query. All functions share one keep-alive connection. `paths` contains a list of paths
 * for each query, and each call of a function requests the next path in the list of its query.
 */
async function openHttpQueries(apis: Apis, paths: Record<string, string[]>) {
  const client = new Client(apis.apiUrl);
  const headers = { authorization: `Bearer ${await apis.accessToken()}` };
  const get = async (path: string) => {
    const { statusCode, body } = await client.request({ path, method: 'GET', headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path} returned ${statusCode}: ${text.slice(0, 500)}`);
  };
  const queries = Object.entries(paths).map(([name, targets]) => {
    let requests = 0;
    return [name, () => get(targets[requests++ % targets.length]!)] as const;
  });
  return { queries: Object.fromEntries(queries), close: () => client.close() };
}

/**
 * Measures the queries one after the other, each in several rounds. A round sends the query once to every history.
 * Before these rounds, a warm-up of at most 50 rounds runs without measurement.
 */
async function measureLatencies(sizes: Size[], requests: number): Promise<Record<string, Percentiles>[]> {
  const latencies = sizes.map((): Record<string, Percentiles> => ({}));
  const warmUpRounds = Math.min(50, requests);
  for (const name of Object.keys(sizes[0]?.queries ?? {})) {
    const times = sizes.map((): number[] => []);
    for (let round = -warmUpRounds; round < requests; round += 1)
      for (const [index, { queries }] of sizes.entries()) {
        const startedAtMs = performance.now();
        await queries[name]!();
        if (round >= 0) times[index]!.push(performance.now() - startedAtMs);
      }
    for (const [index, measured] of times.entries()) latencies[index]![name] = percentilesOf(measured);
  }
  return latencies;
}

/** Loads the compiled module of the worker by its path, because the linter forbids imports of services in packages. */
async function openDispatchQueries(database: Database): Promise<DispatchQueries> {
  const path = '../../../../services/delivery-worker/dist/dispatch/queue-repository.js';
  const module: {
    createQueueRepository(
      database: Database,
      options: { queuedLeaseMs: number; maxAgeMs: number },
    ): DispatchQueries;
  } = await import(import.meta.resolve(path));
  return module.createQueueRepository(database, { queuedLeaseMs: 60_000, maxAgeMs: 86_400_000 });
}

/**
 * Runs every query with `auto_explain` until PostgreSQL may use a generic plan, and returns the plans of one further
 * execution.
 */
async function readPlans(testBed: TestBed, size: Size): Promise<Record<string, string[]>> {
  const { databaseUrl, paths } = size;
  const log = testBed.logFile('postgres');
  const plans: Record<string, string[]> = {};
  const explain = async (name: string, query: () => Promise<unknown>) => {
    for (let index = 0; index < executionsBeforeGenericPlan; index += 1) await query();
    const start = statSync(log).size;
    await query();
    plans[name] = plansIn(readFileSync(log).subarray(start).toString());
  };
  await setAutoExplain(testBed.database, true);
  // With one connection in the pool, all executions of a statement use the same prepared statement.
  const poolSize = 1;
  const database = createDatabase({
    url: databaseUrl,
    applicationName: suiteApplicationName,
    poolSize,
    plansByKey: true,
  });
  const apis = await startApis(testBed, { workspaceId: size.history.workspaceId, databaseUrl, poolSize });
  try {
    const headers = { authorization: `Bearer ${await apis.accessToken()}` };
    for (const [name, [path]] of Object.entries(paths))
      await explain(name, async () => (await fetch(`${apis.apiUrl}${path}`, { headers })).text());
    const dispatch = await openDispatchQueries(database);
    const visit = { workspaceId: size.history.workspaceId, after: firstWebhook };
    await explain('due scan', () => dispatch.findWebhooks([visit], scanLimits));
    await explain('queued', () => dispatch.queued([]));
  } finally {
    await apis.stop();
    await database.close();
    await setAutoExplain(testBed.database, false);
  }
  return plans;
}

function plansIn(log: string): string[] {
  return log.split(/^(?=\S.* LOG: {2}duration: )/m).filter((entry) => entry.includes('plan:'));
}
