import { Pool } from 'undici';
import { monotonicMs } from '../measure/clock.js';
import { type AlertFacts, createAlertContent } from './alert-content.js';

export interface RestLoadOptions extends AlertFacts {
  /** URL of the API, and an access token with the role publisher. */
  api: { url: string; token: string };
  alerts: number;
  /** Number of alerts in a request. With 1, the endpoint for single alerts is used. */
  batchSize: number;
  /** Number of connections. Without a rate, each connection has one request in progress at any time. */
  connections: number;
  /**
   * Publish rate in alerts per second. By default, each request starts when an earlier one on its connection has ended.
   */
  alertsPerSecond?: number | undefined;
}

/** Times are milliseconds of the machine's monotonic clock. */
export interface RestLoadResult {
  /** Start time of the request that contained each alert, by sequence number. */
  offeredAtMs: Float64Array;
  /** Duration of each request. */
  requestMs: Float64Array;
  /** Arrival time of the last response. */
  endedAtMs: number;
}

const tickMs = 2;

/**
 * Publishes all alerts of a run over REST.
 * @throws Error if the API does not confirm an alert with status 202
 */
export async function publishOverRest(options: RestLoadOptions): Promise<RestLoadResult> {
  const { api, alerts, batchSize, connections, alertsPerSecond, target } = options;
  const pool = new Pool(api.url, { connections });
  const contentOf = createAlertContent(options);
  const requests = Math.ceil(alerts / batchSize);
  const offeredAtMs = new Float64Array(alerts);
  const requestMs = new Float64Array(requests);
  const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' };
  const collection = `/api/v1/workspaces/${target.workspaceId}/alerts`;

  const send = async (request: number): Promise<void> => {
    const first = request * batchSize;
    const count = Math.min(batchSize, alerts - first);
    const contents = Array.from({ length: count }, (_, index) => contentOf(first + index));
    const [path, body] =
      batchSize === 1 ? [collection, contents[0]!] : [`${collection}/batch`, `[${contents.join(',')}]`];
    const sentAtMs = monotonicMs();
    offeredAtMs.fill(sentAtMs, first, first + count);
    const response = await pool.request({ method: 'POST', path, headers, body });
    const text = await response.body.text();
    const accepted = batchSize === 1 ? response.statusCode === 202 : countAccepted(text) === count;
    if (!accepted) throw new Error(`${path} returned ${response.statusCode}: ${text.slice(0, 500)}`);
    requestMs[request] = monotonicMs() - sentAtMs;
  };
  const everySecond = alertsPerSecond === undefined ? undefined : alertsPerSecond / batchSize;
  try {
    await (everySecond === undefined
      ? sendOneByOne(send, { requests, connections })
      : sendAtRate(send, { requests, everySecond }));
    return { offeredAtMs, requestMs, endedAtMs: monotonicMs() };
  } finally {
    await pool.destroy();
  }
}

function countAccepted(text: string): number {
  return text.split('"status":202').length - 1;
}

type Send = (request: number) => Promise<void>;

async function sendOneByOne(
  send: Send,
  { requests, connections }: { requests: number; connections: number },
): Promise<void> {
  let next = 0;
  const sendNext = async () => {
    while (next < requests) {
      next += 1;
      await send(next - 1);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendNext));
}

/** Starts each request at its scheduled time, even if earlier requests have no response yet. */
async function sendAtRate(
  send: Send,
  { requests, everySecond }: { requests: number; everySecond: number },
): Promise<void> {
  const startedAtMs = monotonicMs();
  const sent: Promise<void>[] = [];
  await new Promise<void>((resolve, reject) => {
    const timer = setInterval(() => {
      const due = Math.floor(((monotonicMs() - startedAtMs) / 1_000) * everySecond) + 1;
      while (sent.length < Math.min(due, requests)) {
        const request = send(sent.length);
        request.catch(reject);
        sent.push(request);
      }
      if (sent.length < requests) return;
      clearInterval(timer);
      resolve();
    }, tickMs);
  });
  await Promise.all(sent);
}
