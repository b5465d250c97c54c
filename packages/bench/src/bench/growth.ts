import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createDatabase, type Database, migrateDatabase } from '@tocsin/database';
import { Client } from 'undici';
import { type Percentiles, percentilesOf } from '../measure/statistics.js';
import { type Apis, startApis } from '../test-bed/start-apis.js';
import type { Stack } from '../test-bed/start-stack.js';
import type { Bench } from '../test-bed/test-bed.js';
import { type History, makeHistory } from './growth-history-repository.js';
import {
  createDatabaseOfItsOwn,
  dropDatabase,
  explainEverything,
  pickDeliveries,
} from './growth-repository.js';

export interface GrowthResult {
  deliveries: number;
  /** To make them. */
  fillSeconds: number;
  /** One request after the other over HTTP; the dispatcher's questions straight to the database. In milliseconds. */
  latencyMs: Record<string, Percentiles>;
  /** What PostgreSQL did for each question. */
  plans: Record<string, string[]>;
}

export interface GrowthOptions {
  sizes: readonly number[];
  /** Of each question, at each size. */
  requests: number;
}

/** The dispatcher's questions as the worker ships them. */
interface DispatchQuestions {
  survey(limit: number): Promise<unknown>;
  queued(): Promise<unknown>;
}

/** One history: a database of its own and the services on it. */
interface Size {
  history: History;
  fillSeconds: number;
  stack: Stack;
  paths: Record<string, string[]>;
  questions: Record<string, () => Promise<unknown>>;
  stop(): Promise<void>;
}

const days = 30;
const surveyLimit = 2_000;
const samples = 200;
/** PostgreSQL plans a prepared statement for its values five times before it may settle on one plan for all. */
const untilGeneric = 6;

/**
 * Times the questions that users and the dispatcher ask, on less and on more history. The sizes stand side by side and
 * are asked in turn, so that whatever else the machine does meets all of them alike.
 */
export async function measureGrowth(bench: Bench, options: GrowthOptions): Promise<GrowthResult[]> {
  const sizes: Size[] = [];
  try {
    for (const deliveries of options.sizes) sizes.push(await openSize(bench, deliveries));
    const latencies = await askInTurn(sizes, options.requests);
    const results: GrowthResult[] = [];
    for (const [index, { history, fillSeconds, stack, paths }] of sizes.entries()) {
      const plans = await readPlans(bench, stack, { workspaceId: history.workspaceId, paths });
      results.push({ deliveries: history.deliveries, fillSeconds, latencyMs: latencies[index]!, plans });
    }
    for (const { deliveries, latencyMs } of results) {
      const p99 = Object.entries(latencyMs).map(([name, { p99 }]) => `${name} ${p99.toFixed(1)}`);
      bench.say(`  ${deliveries} deliveries, p99 in ms: ${p99.join(', ')}`);
    }
    return results;
  } finally {
    for (const size of sizes) await size.stop();
  }
}

async function openSize(bench: Bench, deliveries: number): Promise<Size> {
  const name = `growth_${deliveries}`;
  const databaseUrl = await createDatabaseOfItsOwn(bench.stack, name);
  const [workspaceId, webhookId, quietWebhookId] = [randomUUID(), randomUUID(), randomUUID()];
  const history = { workspaceId, webhookId, quietWebhookId, deliveries, days };
  const { fillSeconds, ids } = await fill(bench, databaseUrl, history);
  bench.say(`  ${deliveries} deliveries made in ${fillSeconds.toFixed(0)} s`);
  const stack = { ...bench.stack, databaseUrl };
  const apis = await startApis(stack, bench.secretsKeys, { workspaceId });
  const paths = pathsOf(history, ids);
  const http = await askOverHttp(apis, paths);
  const database = createDatabase({ url: databaseUrl, applicationName: 'tocsin-bench', plansByKey: true });
  const dispatch = await openDispatchQuestions(database);
  return {
    history,
    fillSeconds,
    stack,
    paths,
    questions: {
      ...http.questions,
      survey: () => dispatch.survey(surveyLimit),
      queued: () => dispatch.queued(),
    },
    async stop() {
      await http.close();
      await apis.stop();
      await database.close();
      await dropDatabase(bench.stack.database, name);
    },
  };
}

/** One kept-alive connection; each question goes through its paths in turn. */
async function askOverHttp(apis: Apis, paths: Record<string, string[]>) {
  const client = new Client(apis.apiUrl);
  const headers = { authorization: `Bearer ${await apis.accessToken()}` };
  const get = async (path: string) => {
    const { statusCode, body } = await client.request({ path, method: 'GET', headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text.slice(0, 500)}`);
  };
  const questions = Object.entries(paths).map(([name, targets]) => {
    let asked = 0;
    return [name, () => get(targets[asked++ % targets.length]!)] as const;
  });
  return { questions: Object.fromEntries(questions), close: () => client.close() };
}

async function fill(bench: Bench, url: string, history: History) {
  const database = createDatabase({ url, applicationName: 'tocsin-bench', statementTimeoutMs: 600_000 });
  try {
    await migrateDatabase(database);
    const startedAtMs = performance.now();
    await makeHistory(database, history);
    const fillSeconds = (performance.now() - startedAtMs) / 1_000;
    return { fillSeconds, ids: await pickDeliveries(database, bench.secrets, history, samples) };
  } finally {
    await database.close();
  }
}

function pathsOf({ workspaceId, webhookId, quietWebhookId }: History, ids: string[]) {
  const workspace = `/api/v1/workspaces/${workspaceId}`;
  const list = `${workspace}/deliveries`;
  return {
    newest: [list],
    'of a webhook': [`${list}?webhook_id=${webhookId}`],
    'of a webhook long quiet': [`${list}?webhook_id=${quietWebhookId}`],
    failed: [`${list}?status=failed`],
    waiting: [`${list}?status=waiting`],
    'one by id': ids.map((id) => `/api/v1/deliveries/${id}`),
    alerts: [`${workspace}/alerts`],
  };
}

/** Every size is asked before any is asked again. */
async function askInTurn(sizes: Size[], requests: number): Promise<Record<string, Percentiles>[]> {
  const latencies = sizes.map((): Record<string, Percentiles> => ({}));
  const untimed = Math.min(50, requests);
  for (const name of Object.keys(sizes[0]?.questions ?? {})) {
    const times = sizes.map((): number[] => []);
    for (let round = -untimed; round < requests; round += 1)
      for (const [index, { questions }] of sizes.entries()) {
        const startedAtMs = performance.now();
        await questions[name]!();
        if (round >= 0) times[index]!.push(performance.now() - startedAtMs);
      }
    for (const [index, measured] of times.entries()) latencies[index]![name] = percentilesOf(measured);
  }
  return latencies;
}

/** What is shipped is what is measured; a package may not import a service, so it is loaded where it lies. */
async function openDispatchQuestions(database: Database): Promise<DispatchQuestions> {
  const path = '../../../../services/delivery-worker/dist/dispatch/dispatch-repository.js';
  const module: {
    createDispatchRepository(database: Database, leases: Record<string, number>): DispatchQuestions;
  } = await import(import.meta.resolve(path));
  return module.createDispatchRepository(database, { queuedMs: 60_000, claimMs: 30_000 });
}

/** Asks once more over connections that explain themselves; the plans of the last time, when they have settled. */
async function readPlans(
  { secretsKeys }: Bench,
  stack: Stack,
  { workspaceId, paths }: { workspaceId: string; paths: Record<string, string[]> },
): Promise<Record<string, string[]>> {
  const log = stack.logOf('postgres');
  const plans: Record<string, string[]> = {};
  const explain = async (name: string, ask: () => Promise<unknown>) => {
    for (let index = 0; index < untilGeneric; index += 1) await ask();
    const start = statSync(log).size;
    await ask();
    plans[name] = plansIn(readFileSync(log).subarray(start).toString());
  };
  await explainEverything(stack.database, true);
  const database = createDatabase({
    url: stack.databaseUrl,
    applicationName: 'tocsin-bench',
    poolSize: 1,
    plansByKey: true,
  });
  const apis = await startApis(stack, secretsKeys, { workspaceId, poolSize: 1 });
  try {
    const headers = { authorization: `Bearer ${await apis.accessToken()}` };
    for (const [name, [path]] of Object.entries(paths))
      await explain(name, async () => (await fetch(`${apis.apiUrl}${path}`, { headers })).text());
    const dispatch = await openDispatchQuestions(database);
    await explain('survey', () => dispatch.survey(surveyLimit));
    await explain('queued', () => dispatch.queued());
  } finally {
    await apis.stop();
    await database.close();
    await explainEverything(stack.database, false);
  }
  return plans;
}

function plansIn(log: string): string[] {
  return log.split(/^(?=\S.* LOG: {2}duration: )/m).filter((entry) => entry.includes('plan:'));
}
