import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createDatabase, type Database } from '@tocsin/database';
import { measureRequests } from '../measure/requests.js';
import { type Percentiles, percentilesOf } from '../measure/statistics.js';
import { type Apis, startApis } from '../stack/start-apis.js';
import type { Bench } from './bench.js';
import {
  dropHistory,
  explainEverything,
  makeHistory,
  makePastPartitions,
  pickDeliveries,
} from './growth-repository.js';

export interface GrowthResult {
  deliveries: number;
  /** One request after the other over HTTP; the dispatcher's questions straight to the database. In milliseconds. */
  latencyMs: Record<string, Percentiles>;
  /** What PostgreSQL did for each question. */
  plans: Record<string, string[]>;
}

export interface GrowthOptions {
  /** Rising. */
  sizes: readonly number[];
  requests: number;
}

/** The dispatcher's questions as the worker ships them. */
interface DispatchQuestions {
  survey(limit: number): Promise<unknown>;
  queued(): Promise<unknown>;
}

const days = 30;
const batch = 500_000;
const surveyLimit = 2_000;
const samples = 200;
/** PostgreSQL plans a prepared statement for its values five times before it may settle on one plan for all. */
const untilGeneric = 6;

/** Times the questions that users and the dispatcher ask, on ever more history. */
export async function measureGrowth(bench: Bench, options: GrowthOptions): Promise<GrowthResult[]> {
  const { stack, say } = bench;
  const apis = await startApis(stack, bench.secretsKeys);
  const history = { workspaceId: apis.workspaceId, webhookId: randomUUID(), days };
  const results: GrowthResult[] = [];
  try {
    await makePastPartitions(stack.database, days);
    let made = 0;
    for (const deliveries of options.sizes) {
      for (let from = made; from < deliveries; from += batch)
        await makeHistory(stack.database, history, { from, below: Math.min(deliveries, from + batch) });
      made = deliveries;
      const result = await askAll(bench, apis, { ...options, ...history, deliveries });
      results.push(result);
      const p99 = Object.entries(result.latencyMs).map(([name, { p99 }]) => `${name} ${p99.toFixed(1)}`);
      say(`  ${deliveries} deliveries, p99 in ms: ${p99.join(', ')}`);
    }
    return results;
  } finally {
    await apis.stop();
    await dropHistory(stack.database);
  }
}

interface Asking {
  deliveries: number;
  workspaceId: string;
  webhookId: string;
  requests: number;
}

async function askAll(bench: Bench, apis: Apis, asking: Asking): Promise<GrowthResult> {
  const { stack, secrets } = bench;
  const { deliveries, workspaceId, webhookId, requests } = asking;
  const ids = await pickDeliveries(stack.database, secrets, {
    workspaceId,
    count: samples,
    total: deliveries,
  });
  const list = `/api/v1/workspaces/${workspaceId}/deliveries`;
  const questions: Record<string, string[]> = {
    newest: [list],
    'of a webhook': [`${list}?webhook_id=${webhookId}`],
    failed: [`${list}?status=failed`],
    waiting: [`${list}?status=waiting`],
    'one by id': ids.map((id) => `/api/v1/deliveries/${id}`),
  };
  const token = await apis.accessToken();
  const ask = (paths: string[], count: number) =>
    measureRequests({
      origin: apis.apiUrl,
      paths,
      headers: { authorization: `Bearer ${token}` },
      requests: count,
      concurrency: 1,
      expectStatus: 200,
    });
  const latencyMs: Record<string, Percentiles> = {};
  for (const [name, paths] of Object.entries(questions)) {
    await ask(paths, Math.min(50, requests));
    latencyMs[name] = (await ask(paths, requests)).latencyMs;
  }
  Object.assign(latencyMs, await askDispatcher(stack.databaseUrl, requests));
  return { deliveries, latencyMs, plans: await readPlans(bench, { workspaceId, questions }) };
}

async function askDispatcher(url: string, requests: number): Promise<Record<string, Percentiles>> {
  const database = createDatabase({ url, applicationName: 'tocsin-bench' });
  try {
    const questions = await openDispatchQuestions(database);
    return {
      survey: await timeEach(requests, () => questions.survey(surveyLimit)),
      queued: await timeEach(requests, () => questions.queued()),
    };
  } finally {
    await database.close();
  }
}

/** What is shipped is what is measured; a package may not import a service, so it is loaded where it lies. */
async function openDispatchQuestions(database: Database): Promise<DispatchQuestions> {
  const path = '../../../../services/delivery-worker/dist/dispatch/dispatch-repository.js';
  const module: { createDispatchRepository(database: Database, leaseMs: number): DispatchQuestions } =
    await import(import.meta.resolve(path));
  return module.createDispatchRepository(database, 60_000);
}

async function timeEach(count: number, work: () => Promise<unknown>): Promise<Percentiles> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const startedAtMs = performance.now();
    await work();
    times.push(performance.now() - startedAtMs);
  }
  return percentilesOf(times);
}

/** Asks once more over connections that explain themselves; the plans of the last time, when they have settled. */
async function readPlans(
  { stack, secretsKeys }: Bench,
  { workspaceId, questions }: { workspaceId: string; questions: Record<string, string[]> },
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
  const database = createDatabase({ url: stack.databaseUrl, applicationName: 'tocsin-bench', poolSize: 1 });
  const apis = await startApis(stack, secretsKeys, { workspaceId, poolSize: 1 });
  try {
    const headers = { authorization: `Bearer ${await apis.accessToken()}` };
    for (const [name, [path]] of Object.entries(questions))
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
