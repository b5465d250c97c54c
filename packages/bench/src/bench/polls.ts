import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { createCpuMeter, sumOf } from '../measure/process-usage.js';
import { postJson, type RunningApi, startApi } from '../test-bed/apis.js';
import { type Fixtures, writeFixtures } from '../test-bed/fixtures.js';
import { startHelper } from '../test-bed/helper-process.js';
import { type TestBed, withWorkers } from '../test-bed/test-bed.js';
import type { BareServerCommands } from './bare-server-main.js';
import { runAlerts } from './run-alerts.js';

export interface PollsResult {
  /**
   * Server that received the requests. The bare server is a minimal HTTP server for comparison: it responds with an
   * empty list and reads no data. It gets only the requests for the list of deliveries.
   */
  server: 'API' | 'bare server';
  /** Name of the console page that is open in the measurement. */
  page: string;
  people: number;
  requestsPerSecond: number;
  /** CPU time of the server for each request, in microseconds. */
  cpuMicros: number;
  /** CPU time of the server in percent of one core. */
  cpuPercent: number;
}

export interface PollsOptions {
  people: number;
  seconds: number;
}

interface Request {
  path: string;
  /**
   * Maximum age of a response that the API may share between callers (`Cache-Control: max-age`). Undefined if the
   * request does not accept a shared response.
   */
  maxAgeSeconds?: number | undefined;
  read?: (body: unknown) => void;
}

/** A request that an open page of the console sends repeatedly. */
interface Poll {
  intervalMs: number;
  /**
   * Returns the next request of a person. If the request has a function `read`, the caller must pass the body of the
   * response to it, because the next request of a list depends on the entries in the body.
   */
  next(person: number): Request;
}

/** Number of webhooks of the workspace: the maximum of the default settings. Only one of them has deliveries. */
const webhooks = 1_000;
const storedAlerts = 5_000;
/** Alerts published per second while the pages are open. */
const alertsPerSecond = 1;

/** Measures the CPU time of the API while people have a page of the console open and alerts are delivered. */
export async function measurePolls(testBed: TestBed, options: PollsOptions): Promise<PollsResult[]> {
  const { database, secretBox, destination } = testBed;
  const fixtures = await writeFixtures(database, { secretBox, urls: destination.urls(1) });
  const api = await startApi(testBed, fixtures.workspaceId);
  try {
    return await withWorkers(testBed, 1, async (workers) => {
      await runAlerts(testBed, { fixtures, workers, alerts: storedAlerts });
      await createWebhooks(api, fixtures);
      const results = [await measureBareServer(fixtures, options)];
      const target = {
        url: api.service.httpUrl,
        pid: api.service.pid(),
        token: await api.accessToken('reader'),
      };
      for (const [page, polls] of Object.entries(pagesOf(fixtures, options.people))) {
        const alerts = Math.ceil(options.seconds * alertsPerSecond);
        const [measured] = await Promise.all([
          measurePage(target, polls, options),
          runAlerts(testBed, { fixtures, workers, alerts, alertsPerSecond }),
        ]);
        results.push({ server: 'API', page, people: options.people, ...measured });
        testBed.print(`  ${page}: ${Math.round(measured.cpuMicros)} µs of the API for a request`);
      }
      return results;
    });
  } finally {
    await api.stop();
  }
}

async function measureBareServer(fixtures: Fixtures, options: PollsOptions): Promise<PollsResult> {
  const helper = startHelper<BareServerCommands>(import.meta.url, './bare-server-main.js');
  try {
    const target = { url: await helper.call('listen', undefined), pid: helper.pid };
    const { deliveries } = pagesOf(fixtures, options.people);
    const measured = await measurePage(target, deliveries!, options);
    return { server: 'bare server', page: 'deliveries', people: options.people, ...measured };
  } finally {
    await helper.stop();
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

/** Returns the requests of the pages that are open most often, as `services/console/src/api` sends them. */
function pagesOf({ workspaceId, webhookIds }: Fixtures, people: number): Record<string, Poll[]> {
  const workspace = `/api/v1/workspaces/${workspaceId}`;
  const deliveries: ListKind<{ created_at: string; status: string }> = {
    path: `${workspace}/deliveries`,
    timeOf: ({ created_at }) => created_at,
    isOpen: ({ status }) => ['waiting', 'queued', 'sending'].includes(status),
  };
  const alerts: ListKind<{ accepted_at: string; summary: { open: number } }> = {
    path: `${workspace}/alerts`,
    timeOf: ({ accepted_at }) => accepted_at,
    isOpen: ({ summary }) => summary.open > 0,
  };
  const allWebhooks: Poll = {
    intervalMs: 30_000,
    next: () => ({ path: `${workspace}/webhooks?sort=name&secrets=false`, maxAgeSeconds: 5 }),
  };
  const stats: Poll = {
    intervalMs: 20_000,
    next: () => {
      const untilMs = Math.ceil(Date.now() / 5_000) * 5_000;
      const range = { since: isoTime(untilMs - 3_600_000), until: isoTime(untilMs), step: 'minute' };
      return { path: `${workspace}/delivery_stats?${new URLSearchParams(range)}`, maxAgeSeconds: 5 };
    },
  };
  const webhook: Poll = { intervalMs: 20_000, next: () => ({ path: `/api/v1/webhooks/${webhookIds[0]}` }) };
  const ofWebhook = { ...deliveries, people, filter: { webhook_id: webhookIds[0]! }, intervalMs: 10_000 };
  return {
    deliveries: [liveList({ ...deliveries, people })],
    alerts: [liveList({ ...alerts, people, intervalMs: 10_000 })],
    overview: [stats, allWebhooks],
    webhooks: [allWebhooks],
    webhook: [webhook, liveList(ofWebhook)],
  };
}

/**
 * Number of entries on the newest page of a list. Most requests read only a part of this page, but every twelfth
 * request (`pollsOfWholePage`) reads the whole page.
 */
const newestPage = 30;
const pollsOfWholePage = 12;

/** A list that is ordered by time, newest first. */
interface ListKind<Entry> {
  path: string;
  timeOf(entry: Entry): string;
  /** Returns true while the entry can still change. */
  isOpen(entry: Entry): boolean;
}

interface LiveList<Entry> extends ListKind<Entry> {
  people: number;
  filter?: Readonly<Record<string, string>>;
  intervalMs?: number;
}

/**
 * Returns the requests of a list that is updated while its page is open. Every twelfth request reads the whole page.
 * The other requests read only the entries since the oldest open entry, or since the newest entry if none is open. All
 * requests of a person except the first accept a response that the API has read for another person.
 */
function liveList<Entry>(list: LiveList<Entry>): Poll {
  const { path, timeOf, isOpen, people, filter = {}, intervalMs = 5_000 } = list;
  const pages = Array.from({ length: people }, (): Entry[] => []);
  const polls = Array.from({ length: people }, (_, person) => person);
  return {
    intervalMs,
    next: (person) => {
      const page = pages[person]!;
      polls[person]! += 1;
      const isWhole = polls[person]! % pollsOfWholePage === 0;
      const from = isWhole ? page[newestPage - 1] : (page.findLast(isOpen) ?? page[0]);
      const query = new URLSearchParams({ ...filter, limit: String(newestPage) });
      if (from !== undefined) query.set('since', timeOf(from));
      const read = (body: unknown) => {
        const older = from === undefined ? [] : page.filter((entry) => timeOf(entry) < timeOf(from));
        pages[person] = [...(body as Entry[]), ...older].slice(0, newestPage);
      };
      return { path: `${path}?${query}`, maxAgeSeconds: from && intervalMs / 5_000, read };
    },
  };
}

/**
 * Sends the requests that a page of the console sends, for each simulated user. Each request is repeated at its own
 * interval, and the users' first requests are spread evenly over this interval.
 */
async function measurePage(
  { url, pid, token }: { url: string; pid: number; token?: string },
  polls: Poll[],
  { people, seconds }: PollsOptions,
): Promise<Omit<PollsResult, 'server' | 'page' | 'people'>> {
  const pool = new Pool(url, { connections: 32 });
  const headers = { authorization: `Bearer ${token}` };
  let requests = 0;
  const send = async (poll: Poll, person: number) => {
    const { path, maxAgeSeconds, read } = poll.next(person);
    const { statusCode, body } = await pool.request({
      path,
      method: 'GET',
      headers: {
        ...headers,
        ...(maxAgeSeconds !== undefined && { 'cache-control': `max-age=${maxAgeSeconds}` }),
      },
    });
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
    const meter = createCpuMeter({ server: pid });
    await forMs(seconds * 1_000);
    const cpuMicros = sumOf(meter.microsFor(requests));
    const requestsPerSecond = requests / seconds;
    return { requestsPerSecond, cpuMicros, cpuPercent: (cpuMicros * requestsPerSecond) / 10_000 };
  } finally {
    await pool.close();
  }
}

/**
 * Duration of the warm-up in milliseconds. During this time, V8 compiles the code of the API, and each person sends
 * each request of the page at least once.
 */
const warmUpMs = 30_000;

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
