import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { createCpuMeter, sumOf } from '../measure/process-usage.js';
import { postJson, type RunningApi, startApi } from '../test-bed/apis.js';
import { type Fixtures, writeFixtures } from '../test-bed/fixtures.js';
import { type TestBed, withWorkers } from '../test-bed/test-bed.js';
import { runAlerts } from './run-alerts.js';

export interface PollsResult {
  /** The open page of the console. */
  page: string;
  people: number;
  requestsPerSecond: number;
  /** Microseconds of CPU of the API for each request. */
  cpuMicros: number;
  /** CPU time of the API in percent of one core. */
  cpuPercent: number;
}

export interface PollsOptions {
  people: number;
  seconds: number;
}

/** A request that an open page repeats. */
interface Poll {
  intervalMs: number;
  /** Path of a person's next request, and what the response tells the person. */
  next(person: number): { path: string; read?: (body: unknown) => void };
}

/** Webhooks of the workspace, one of them with deliveries. */
const webhooks = 20;
const storedAlerts = 5_000;
/** Alerts a second while the pages are open. */
const alertsPerSecond = 1;

/** Measures the CPU of the API while people have a page of the console open, and alerts are delivered. */
export async function measurePolls(testBed: TestBed, options: PollsOptions): Promise<PollsResult[]> {
  const { database, secrets, destination } = testBed;
  const fixtures = await writeFixtures(database, { secrets, urls: destination.urls(1) });
  const api = await startApi(testBed, fixtures.workspaceId);
  try {
    return await withWorkers(testBed, 1, async (workers) => {
      await runAlerts(testBed, { fixtures, workers, alerts: storedAlerts });
      await createWebhooks(api, fixtures);
      const results: PollsResult[] = [];
      for (const [page, polls] of Object.entries(pagesOf(fixtures, options.people))) {
        const alerts = Math.ceil(options.seconds * alertsPerSecond);
        const [measured] = await Promise.all([
          measurePage(api, polls, options),
          runAlerts(testBed, { fixtures, workers, alerts, alertsPerSecond }),
        ]);
        const result = { page, people: options.people, ...measured };
        testBed.print(
          `  ${page}: ${Math.round(result.cpuMicros)} µs a request, ${result.cpuPercent.toFixed(1)} % of a core`,
        );
        results.push(result);
      }
      return results;
    });
  } finally {
    await api.stop();
  }
}

async function createWebhooks(api: RunningApi, { workspaceId }: Fixtures): Promise<void> {
  const token = await api.accessToken('admin');
  for (let index = 1; index < webhooks; index += 1)
    await postJson(`${api.service.httpUrl}/api/v1/workspaces/${workspaceId}/webhooks`, token, {
      name: `without deliveries ${index}`,
      url: `http://127.0.0.1:9/${index}`,
      headers: { 'Content-Type': ['application/json'] },
      body: '{"alert":"{{ alert_id }}"}',
    });
}

/** The requests of the pages that are open most often, as `services/console/src/api` sends them. */
function pagesOf({ workspaceId }: Fixtures, people: number): Record<string, Poll[]> {
  const workspace = `/api/v1/workspaces/${workspaceId}`;
  const allWebhooks = (intervalMs: number): Poll => ({
    intervalMs,
    next: () => ({ path: `${workspace}/webhooks?sort=name` }),
  });
  const stats: Poll = {
    intervalMs: 15_000,
    next: () => {
      const now = Date.now();
      const range = { since: isoTime(now - 3_600_000), until: isoTime(now), step: 'minute' };
      return { path: `${workspace}/delivery_stats?${new URLSearchParams(range)}` };
    },
  };
  return {
    deliveries: [liveList(`${workspace}/deliveries`, people)],
    overview: [stats, allWebhooks(30_000)],
    webhooks: [allWebhooks(15_000)],
  };
}

/** Entries of the newest page, and number of polls of which one reads it as a whole. */
const newestPage = 30;
const pollsOfWholePage = 12;

interface ListEntry {
  created_at: string;
  status: string;
}

/** A live list asks for entries from its oldest open entry on, else from its newest one; at times for all of its page. */
function liveList(path: string, people: number): Poll {
  const pages = Array.from({ length: people }, (): ListEntry[] => []);
  const polls = Array.from({ length: people }, (_, person) => person);
  const isOpen = ({ status }: ListEntry) => ['waiting', 'queued', 'sending'].includes(status);
  return {
    intervalMs: 5_000,
    next: (person) => {
      const page = pages[person]!;
      polls[person]! += 1;
      const isWhole = polls[person]! % pollsOfWholePage === 0;
      const from = isWhole ? page[newestPage - 1] : (page.findLast(isOpen) ?? page[0]);
      const query = new URLSearchParams({ limit: String(newestPage) });
      if (from !== undefined) query.set('since', from.created_at);
      const read = (body: unknown) => {
        const older = from === undefined ? [] : page.filter((entry) => entry.created_at < from.created_at);
        pages[person] = [...(body as ListEntry[]), ...older].slice(0, newestPage);
      };
      return { path: `${path}?${query}`, read };
    },
  };
}

/** Each person repeats the requests of the page; people open it one after the other. */
async function measurePage(
  api: RunningApi,
  polls: Poll[],
  { people, seconds }: PollsOptions,
): Promise<Omit<PollsResult, 'page' | 'people'>> {
  const pool = new Pool(api.service.httpUrl, { connections: 32 });
  const headers = { authorization: `Bearer ${await api.accessToken('reader')}` };
  let requests = 0;
  const send = async (poll: Poll, person: number) => {
    const { path, read } = poll.next(person);
    const { statusCode, body } = await pool.request({ path, method: 'GET', headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path} returned ${statusCode}: ${text.slice(0, 500)}`);
    read?.(JSON.parse(text));
    requests += 1;
  };
  const repeat = async (poll: Poll, endMs: number) => {
    const startMs = performance.now();
    const gapMs = poll.intervalMs / people;
    const sent: Promise<void>[] = [];
    for (let index = 0; startMs + index * gapMs < endMs; index += 1) {
      await sleep(Math.max(0, startMs + index * gapMs - performance.now()));
      sent.push(send(poll, index % people));
    }
    await Promise.all(sent);
  };
  const forMs = (ms: number) => Promise.all(polls.map((poll) => repeat(poll, performance.now() + ms)));
  try {
    await forMs(warmUpMs);
    requests = 0;
    const meter = createCpuMeter({ api: api.service.pid() });
    await forMs(seconds * 1_000);
    const cpuMicros = sumOf(meter.microsFor(requests));
    const requestsPerSecond = requests / seconds;
    return { requestsPerSecond, cpuMicros, cpuPercent: (cpuMicros * requestsPerSecond) / 10_000 };
  } finally {
    await pool.close();
  }
}

/** Each person polls once, and the code of the API is compiled. */
const warmUpMs = 6_000;

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
